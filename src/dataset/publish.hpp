// publish: moves a finished dataset from the work folder to its final names, so that a crash in between is
// mended by the next run.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shardmill::dataset {

/// Paths relative to the dataset's folder: from where, to where.
using Renames = std::vector<std::pair<std::string, std::string>>;

/// The list of what publish() is about, in the work folder. The caller removes it, after all else in there.
std::string publish_list_path(const std::string& work_folder);

/// Everything is synced already. First withdraws an older dataset of the same folder, of which only the files
/// go that its records name; the last rename makes the new one complete. Throws Error, and has changed
/// nothing, when a file that shardmill did not make has one of the names.
void publish(const std::string& folder, const Renames& renames);

/// The files that a publish() which a crash stopped writes and removes: all are shardmill's.
std::set<std::string> names_being_published(const std::string& folder);

/// Completes a publish() that a crash stopped. Returns whether there was one.
bool finish_publishing(const std::string& folder);

}  // namespace shardmill::dataset
