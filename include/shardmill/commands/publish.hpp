// publish: moves a finished dataset from the work folder to its final names, so that a crash in between is
// mended by the next run.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace shardmill::commands {

/// Paths relative to the dataset's folder: from where, to where.
using Renames = std::vector<std::pair<std::string, std::string>>;

/// The list of what publish() is about, in the work folder. The caller removes it, after all else in there.
std::string publish_list_path(const std::string& work_folder);

/// Everything is synced already. First withdraws an older dataset of the same folder; the last rename makes
/// the new one complete.
void publish(const std::string& folder, const Renames& renames);

/// Completes a publish() that a crash stopped. Returns whether there was one.
bool finish_publishing(const std::string& folder);

}  // namespace shardmill::commands
