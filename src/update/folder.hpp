// The folder of a dataset that is updated, and the work in it.
#pragma once

#include <string>

#include "base/io/writer_lock.hpp"

namespace shardmill::update {

/// The folder in which an update works.
std::string work_of(const std::string& folder);

/// Throws Error when the folder is not a dataset of shardmill.
void check_folder(const std::string& folder);

/// Throws Error when a run of another command is unfinished in it, and may go on. `is_forced`:
/// drop_unfinished() will remove what may be removed.
void check_no_other_run(const std::string& folder, bool is_forced);

/// Removes the work of an unfinished update, or of a run in parts that would replace the dataset.
void drop_unfinished(const std::string& folder);

/// Removes the work of an update that stopped before anything was worth keeping.
void clean_up_failure(const std::string& folder, const base::WriterLock& lock) noexcept;

}  // namespace shardmill::update
