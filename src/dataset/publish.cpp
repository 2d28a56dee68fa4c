#include "dataset/publish.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/io/binary_fields.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

std::string list_path(const std::string& folder) {
  return publish_list_path(folder + "/" + std::string(manifest::kWorkFolder));
}

/// The steps that publish() takes. They are written down in this order.
struct Steps {
  Renames renames;
  std::vector<std::string> removals;  // files of the old dataset that the new one does not have
};

void write_list(const std::string& folder, const Steps& steps) {
  base::BinaryWriter out;
  out.put(steps.renames.size());
  for (const auto& [from, to] : steps.renames) {
    out.put(from);
    out.put(to);
  }
  out.put(steps.removals.size());
  for (const std::string& name : steps.removals) out.put(name);
  base::AtomicFile file(list_path(folder));
  file.write(out.bytes());
  file.commit();
}

Steps read_list(const std::string& folder) {
  const std::string text = base::read_text(list_path(folder));
  base::BinaryReader in(base::as_bytes(text));
  Steps steps;
  steps.renames.resize(in.number());
  for (auto& [from, to] : steps.renames) {
    from = in.text();
    to = in.text();
  }
  steps.removals.resize(in.number());
  for (std::string& name : steps.removals) name = in.text();
  return steps;
}

/// Throws Error while the old dataset is still whole. If a rename failed later, no dataset would be whole.
void check_folders_are_writable(const std::string& folder, const Steps& steps) {
  std::set<fs::path> folders{folder};
  for (const auto& [from, to] : steps.renames) folders.insert((fs::path(folder) / to).parent_path());
  for (const std::string& name : steps.removals) folders.insert((fs::path(folder) / name).parent_path());
  for (const fs::path& inner : folders) {
    if (base::exists(inner.string()) && ::access(inner.c_str(), W_OK | X_OK) != 0)
      throw system_error("cannot write into it", inner.string());
  }
}

/// The steps to the new dataset. Throws Error when somebody else's file has one of its names.
Steps planned(const std::string& folder, const Renames& renames, const FileNames& kept) {
  check_output_is_ours(folder, OutputKind::dataset);
  const FileNames owned = dataset_file_names(folder);
  Steps steps{.renames = renames, .removals = {}};
  std::vector<std::string> wanted;
  for (const auto& [from, to] : renames) wanted.push_back(to);
  check_not_taken(folder, wanted, owned);
  std::sort(wanted.begin(), wanted.end());
  for (const std::string& name : owned) {
    if (std::binary_search(wanted.begin(), wanted.end(), name) || kept.contains(name)) continue;
    const base::Entry entry = base::entry_at(folder + "/" + name);
    const bool is_file = entry != base::Entry::nothing && entry != base::Entry::folder;
    if (is_file && base::is_reached_without_links(folder, name)) steps.removals.push_back(name);
  }
  check_folders_are_writable(folder, steps);
  return steps;
}

/// Removes files of an old dataset, and the folders that are empty afterwards.
void remove_stale(const std::string& folder, const std::vector<std::string>& names) {
  std::set<std::string> emptied;
  for (const std::string& name : names) {
    base::remove_file(folder + "/" + name);
    for (fs::path inner = fs::path(name).parent_path(); !inner.empty(); inner = inner.parent_path())
      emptied.insert(inner.string());
  }
  // In reverse order, because an inner folder comes after the outer one. A folder that is not empty stays.
  for (auto inner = emptied.rbegin(); inner != emptied.rend(); ++inner)
    base::remove_folder_if_empty(folder + "/" + *inner);
}

/// The folders in which files get their final names.
std::set<fs::path> folders_of(const std::string& folder, const Renames& renames) {
  std::set<fs::path> folders;
  for (const auto& [from, to] : renames) folders.insert((fs::path(folder) / to).parent_path());
  return folders;
}

/// `resumed`: files that are not there any more were renamed before the crash, or were lost after it. A lost
/// one must not keep the others from their names: then repair can make it again.
void rename_all(const std::string& folder, const Renames& renames, bool resumed) {
  bool is_work_left = false;
  for (const auto& [from, to] : renames) {
    const std::string source = folder + "/" + from;
    const std::string target = folder + "/" + to;
    if (resumed && !base::exists(source)) {
      // The files are renamed in their order: after one that is left, none was. What has the name is old.
      if (is_work_left) base::remove_file(target);
      continue;
    }
    is_work_left = true;
    // The last rename makes the dataset complete, so everything else must be durable before it.
    if (&to == &renames.back().second) {
      for (const fs::path& inner : folders_of(folder, renames)) base::sync_folder(inner);
    }
    base::rename_file(source, target);
  }
  base::sync_folder(folder);
}

void carry_out(const std::string& folder, const Steps& steps, bool resumed) {
  const Renames& renames = steps.renames;
  const std::string complete = folder + "/" + std::string(manifest::kDataset);
  // dataset.json is renamed last. While any file is left, the one with that name is the old one.
  const bool is_any_left = std::any_of(renames.begin(), renames.end(), [&](const auto& rename) {
    return base::exists(folder + "/" + rename.first);
  });
  if (is_any_left && base::remove_file(complete)) base::sync_folder(folder);
  remove_stale(folder, steps.removals);
  for (const fs::path& inner : folders_of(folder, renames)) base::make_folders(inner);
  rename_all(folder, renames, resumed);
}

}  // namespace

std::string publish_list_path(const std::string& work_folder) {
  return work_folder + "/" + std::string(manifest::kPublishList);
}

void publish(const std::string& folder, const Renames& renames, const FileNames& kept) {
  const Steps steps = planned(folder, renames, kept);
  write_list(folder, steps);
  carry_out(folder, steps, false);
}

void prepare_publishing(const std::string& folder, const Renames& renames, const FileNames& kept) {
  write_list(folder, planned(folder, renames, kept));
}

std::set<std::string> names_being_published(const std::string& folder) {
  std::set<std::string> names;
  if (!base::exists(list_path(folder))) return names;
  Steps steps = read_list(folder);
  for (auto& [from, to] : steps.renames) names.insert(std::move(to));
  names.insert(steps.removals.begin(), steps.removals.end());
  return names;
}

bool finish_publishing(const std::string& folder) {
  if (!base::exists(list_path(folder))) return false;
  carry_out(folder, read_list(folder), true);
  return true;
}

StagedFiles::StagedFiles(const std::string& folder)
    : folder_(folder),
      stage_(folder + "/" + std::string(manifest::kWorkFolder) + "/" +
             std::string(manifest::kStagedIndexes)) {
  base::remove_tree(stage_);
  base::make_folders(stage_);
}

StagedFiles::~StagedFiles() {
  try {
    base::remove_tree(stage_);
  } catch (const std::exception&) {
    // It is only scratch. The next run removes it.
  }
}

void StagedFiles::publish(const std::vector<manifest::Checksum>& files, const FileNames& owned) {
  std::vector<std::string> to_move;
  for (const manifest::Checksum& file : files) {
    const bool is_same = !owned.contains(file.path) && holds_just(folder_ + "/" + file.path, file.sha256);
    if (!is_same) to_move.push_back(file.path);
  }
  check_not_taken(folder_, to_move, owned);
  std::set<fs::path> folders;
  for (const std::string& name : to_move) {
    const fs::path target = fs::path(folder_) / name;
    if (folders.insert(target.parent_path()).second) base::make_folders(target.parent_path());
    base::rename_file(stage_ + "/" + name, target.string());
  }
  for (const fs::path& folder : folders) base::sync_folder(folder);
}

}  // namespace shardmill::dataset
