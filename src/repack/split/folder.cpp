#include "repack/split/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"
#include "repack/folder.hpp"
#include "repack/split.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

std::string begun_path(const std::string& out_folder) {
  return work_folder_of(out_folder) + "/" + std::string(dataset::kSplitBegun);
}

/// Where split.json lies while the datasets get their final names.
std::string committed_path(const std::string& out_folder) {
  return work_folder_of(out_folder) + "/" + std::string(manifest::kSplit);
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

}  // namespace

std::string split_record_path(const std::string& out_folder) {
  return out_folder + "/" + std::string(manifest::kSplit);
}

std::string split_folder(const std::string& out_folder, const std::string& split) {
  return out_folder + "/" + split;
}

void check_split_folder(const std::string& out_folder, const std::vector<std::string>& splits) {
  const base::Entry entry = base::entry_at(out_folder);
  if (entry == base::Entry::nothing) return;
  if (!base::is_folder(out_folder)) throw Error("is not a folder", at(out_folder), Remedy::other_folder);
  if (base::may_exist(dataset_path(out_folder)))
    throw Error("holds a dataset, and a split would hide in it", at(out_folder), Remedy::other_folder);
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
  const bool is_begun = begun_split(out_folder).has_value();
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

std::optional<std::string> begun_split(const std::string& out_folder) {
  const std::string path = begun_path(out_folder);
  if (!base::exists(path)) return std::nullopt;
  return base::read_text(path);
}

void begin_split(const std::string& out_folder, const std::string& what) {
  base::make_folders(work_folder_of(out_folder));
  base::AtomicFile file(begun_path(out_folder));
  file.write(std::string_view(what));
  file.commit();
}

void commit_split(const std::string& out_folder, const manifest::SplitRecord& record) {
  base::AtomicFile file(committed_path(out_folder));
  file.write(std::string_view(to_json(record)));
  file.commit();
}

std::set<std::string> committed_splits(const std::string& out_folder) {
  std::set<std::string> names;
  if (!base::exists(committed_path(out_folder))) return names;
  for (const auto& part : manifest::read_split_record(committed_path(out_folder)).parts)
    names.insert(part.name);
  return names;
}

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
  base::AtomicFile file(path);
  file.write(std::string_view(to_json(record)));
  file.commit();
  remove_split_work(out_folder, names);
  return true;
}

void remove_split_work(const std::string& out_folder, const std::vector<std::string>& splits) {
  for (const std::string& split : splits) {
    const std::string work = work_folder_of(split_folder(out_folder, split));
    if (base::exists(work)) remove_work(work);
  }
  // The record that was committed goes last: while it is there, the rest is finished or removed.
  base::remove_file(begun_path(out_folder));
  base::remove_file(committed_path(out_folder));
}

}  // namespace shardmill::repack
