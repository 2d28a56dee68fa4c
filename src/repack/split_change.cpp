#include "repack/split_change.hpp"

#include <utility>

#include "repack/folder.hpp"
#include "repack/split.hpp"
#include "repack/split/folder.hpp"

namespace shardmill::repack {

SplitChange::SplitChange(std::string folder, const RepackOptions& options, base::Reporter& reporter)
    : folder_(std::move(folder)) {
  locks_.add(lock_folder(work_folder_of(folder_), options, reporter));
  const std::set<std::string> committed = committed_splits(folder_);
  names_ = committed.empty() ? manifest::split_names(folder_)
                             : std::vector<std::string>(committed.begin(), committed.end());
  for (const std::string& name : names_)
    locks_.add(lock_folder(work_folder_of(folder_of(name)), options, reporter));
  if (!finish_split(folder_) && begun_split(folder_)) remove_split_work(folder_, names_);
  record_ = manifest::read_split_record(split_record_path(folder_));
}

bool SplitChange::is_split(const std::string& folder) {
  return !manifest::split_names(folder).empty() || !committed_splits(folder).empty();
}

std::string SplitChange::folder_of(const std::string& name) const {
  return split_folder(folder_, name);
}

void SplitChange::begin(const std::string& what) const {
  begin_split(folder_, what);
}

void SplitChange::drop() const noexcept {
  try {
    locks_.check_held();
    if (committed_splits(folder_).empty()) remove_split_work(folder_, names_);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find the rest.
  }
}

void SplitChange::publish(const std::vector<Part>& parts) const {
  for (const Part& part : parts) dataset::prepare_publishing(folder_of(part.name), part.renames, part.kept);
  locks_.check_held();
  commit_split(folder_, record_);
  finish_split(folder_);
}

}  // namespace shardmill::repack
