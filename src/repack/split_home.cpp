#include "repack/split_home.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

std::string begun_path(const std::string& out_folder) {
  return base::inside(work_folder_of(out_folder), dataset::kSplitBegun);
}

/// Where split.json lies while the datasets get their final names.
std::string committed_path(const std::string& out_folder) {
  return base::inside(work_folder_of(out_folder), manifest::kSplit);
}

void write_text(const std::string& path, const std::string& text) {
  base::AtomicFile file(path);
  file.write(std::string_view(text));
  file.commit();
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::path& entry : base::entries(folder)) {
    if (!base::is_part_of_atomic_file(entry)) names.push_back(entry.filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Error is_foreign(const std::string& path) {
  return Error("is not shardmill's, and a split is made in a folder of its own", at(path),
               "choose a new or empty folder", Remedy::not_replaced);
}

/// True for a folder that only holds the unfinished work of a run that was stopped.
bool holds_only_work(const std::string& folder) {
  if (base::entry_at(folder) != base::Entry::folder) return false;
  for (const std::string& name : names_in(folder)) {
    if (name != manifest::kWorkFolder || base::entry_at(folder + "/" + name) != base::Entry::folder)
      return false;
  }
  return true;
}

void check_work_folder(const std::string& work) {
  if (base::entry_at(work) != base::Entry::folder) throw is_foreign(work);
  for (const std::string& name : names_in(work)) {
    if (name != "lock" && name != dataset::kSplitBegun && name != manifest::kSplit)
      throw is_foreign(work + "/" + name);
  }
}

/// The datasets that an earlier publish() promised; none when nothing is left to do.
std::set<std::string> committed_splits(const std::string& out_folder) {
  std::set<std::string> names;
  if (!base::exists(committed_path(out_folder))) return names;
  for (const auto& part : manifest::read_split_record(committed_path(out_folder)).parts)
    names.insert(part.name);
  return names;
}

/// Removes all work in the folders of these datasets and in their own folder, except for locks.
void remove_split_work(const std::string& out_folder, const std::vector<std::string>& splits) {
  for (const std::string& split : splits) {
    const std::string work = work_folder_of(split_folder(out_folder, split));
    if (base::exists(work)) remove_work(work);
  }
  // The record that was committed goes last: while it is there, the rest is finished or removed.
  base::remove_file(begun_path(out_folder));
  base::remove_file(committed_path(out_folder));
}

/// Does what publish() promised, and removes the work. Returns false when nothing was promised.
bool finish_split(const std::string& out_folder) {
  if (!base::exists(committed_path(out_folder))) return false;
  const manifest::SplitRecord record = manifest::read_split_record(committed_path(out_folder));
  const std::string path = split_record_path(out_folder);
  std::vector<std::string> names;
  for (const auto& part : record.parts) names.push_back(part.name);
  const bool has_work = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return base::exists(dataset::publish_list_path(work_folder_of(split_folder(out_folder, name))));
  });
  // While the datasets change, there is no record that all of them are there.
  if (has_work && base::remove_file(path)) base::sync_folder(out_folder);
  for (const std::string& name : names) dataset::finish_publishing(split_folder(out_folder, name));
  write_text(path, to_json(record));
  remove_split_work(out_folder, names);
  return true;
}

/// The folder itself is locked, and no other.
void settle_split(const std::string& out_folder, const RunOptions& options, base::Reporter& reporter) {
  std::set<std::string> names = committed_splits(out_folder);
  const bool is_committed = !names.empty();
  // Without split.json, the first run of all is unfinished, and the same command goes on with it.
  const bool is_given_up =
      !is_committed && base::exists(begun_path(out_folder)) && base::exists(split_record_path(out_folder));
  if (!is_committed && !is_given_up) return;
  if (is_given_up) {
    for (const auto& part : manifest::read_split_record(split_record_path(out_folder)).parts)
      names.insert(part.name);
  }
  std::vector<base::WriterLock> locks;
  for (const std::string& name : names)
    locks.push_back(lock_folder(work_folder_of(split_folder(out_folder, name)), options, reporter));
  if (is_committed) {
    finish_split(out_folder);
  } else {
    warn_of_dropped_work(out_folder, reporter);
    remove_split_work(out_folder, {names.begin(), names.end()});
  }
}

}  // namespace

std::string split_record_path(const std::string& out_folder) {
  return base::inside(out_folder, manifest::kSplit);
}

std::string split_folder(const std::string& out_folder, const std::string& split) {
  return base::inside(out_folder, split);
}

bool is_split(const std::string& folder) {
  return !manifest::split_names(folder).empty() || !committed_splits(folder).empty();
}

void check_split_folder(const std::string& out_folder, const std::vector<std::string>& splits) {
  const base::Entry entry = base::entry_at(out_folder);
  if (entry == base::Entry::nothing) return;
  if (!base::is_folder(out_folder)) throw Error("is not a folder", at(out_folder), Remedy::other_folder);
  if (base::may_exist(dataset_path(out_folder)))
    throw Error("holds a dataset, and a split needs a folder of its own", at(out_folder),
                Remedy::other_folder);
  for (const std::string& name : names_in(out_folder)) {
    const std::string path = split_folder(out_folder, name);
    if (name == manifest::kWorkFolder) {
      check_work_folder(path);
    } else if (name == manifest::kSplit) {
      manifest::read_split_record(path);  // or it is somebody else's
    } else if (std::find(splits.begin(), splits.end(), name) == splits.end() &&
               !dataset::has_records_of_dataset(path)) {
      throw is_foreign(path);
    }
  }
  const bool is_begun = base::exists(begun_path(out_folder));
  for (const std::string& name : names_in(out_folder)) {
    const bool is_wanted = std::find(splits.begin(), splits.end(), name) != splits.end();
    const bool is_ours = name == manifest::kWorkFolder || name == manifest::kSplit;
    if (is_ours) continue;
    const std::string path = split_folder(out_folder, name);
    if (!is_wanted)
      throw Error(
          fmt::format("is a dataset that this command would not make, beside {}", fmt::join(splits, ", ")),
          at(path), "move it elsewhere or remove it", Remedy::other_folder);
    if (base::entry_at(path) == base::Entry::link) throw is_foreign(path);
    if (is_begun && holds_only_work(path)) continue;
    dataset::check_output_is_ours(path, dataset::OutputKind::dataset);
  }
}

std::optional<base::WriterLock> lock_split(const std::string& out_folder, const RunOptions& options,
                                           base::Reporter& reporter) {
  if (out_folder.empty()) return std::nullopt;
  std::optional<base::WriterLock> lock = lock_folder(work_folder_of(out_folder), options, reporter);
  settle_split(out_folder, options, reporter);
  return lock;
}

std::optional<std::string> SplitHome::begun() const {
  const std::string path = begun_path(folder());
  if (!base::exists(path)) return std::nullopt;
  return base::read_text(path);
}

void SplitHome::begin(const std::string& what) const {
  base::make_folders(work());
  write_text(begun_path(folder()), what);
}

bool SplitHome::is_untouched() const {
  const bool is_work_left =
      base::exists(work()) || std::any_of(names_.begin(), names_.end(), [this](const std::string& name) {
        return base::exists(work_of(name));
      });
  return is_finished() && !is_work_left;
}

bool SplitHome::is_finished() const {
  return base::exists(split_record_path(folder()));
}

/// The folder itself comes first, because its lock settles which datasets there are.
void SplitHome::lock(const RunOptions& options, base::Reporter& reporter) {
  add_lock(lock_folder(work(), options, reporter));
  const std::set<std::string> committed = committed_splits(folder());
  if (names_.empty()) {
    names_ = committed.empty() ? manifest::split_names(folder())
                               : std::vector<std::string>(committed.begin(), committed.end());
  }
  std::set<std::string> all(names_.begin(), names_.end());
  all.insert(committed.begin(), committed.end());
  for (const std::string& name : all) add_lock(lock_folder(work_of(name), options, reporter));
}

void SplitHome::complete() {
  finish_split(folder());
}

bool SplitHome::is_promised() const {
  return base::exists(committed_path(folder()));
}

void SplitHome::publish(const std::vector<NewFiles>& files) {
  for (const NewFiles& one : files) dataset::prepare_publishing(folder_of(one.split), one.renames, one.kept);
  check_held();
  write_text(committed_path(folder()), to_json(record_));
  finish_split(folder());
}

void SplitHome::remove_work() {
  remove_split_work(folder(), names_);
}

}  // namespace shardmill::repack
