#include "dataset/output_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "dataset/forms.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/publish.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/journal.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

using base::Entry;

/// A run that ends just now is moving and removing its files, and we might see half of them before and half
/// after. So we look several times before we call a folder somebody else's.
constexpr int kLooks = 3;

/// The names in the folder in no particular order, without files that another run is just writing.
std::vector<std::string> names_in(const std::string& folder) {
  if (base::entry_at(folder) == Entry::nothing) return {};
  std::vector<fs::path> entries;
  try {
    entries = base::entries(folder);
  } catch (const Error&) {
    if (base::entry_at(folder) == Entry::nothing) return {};  // another run has just removed it
    throw;
  }
  std::vector<std::string> names;
  for (const fs::path& entry : entries) {
    if (!base::is_part_of_atomic_file(entry)) names.push_back(entry.filename().string());
  }
  return names;
}

void check_own_folders(const std::string& folder) {
  std::vector<std::string_view> names{manifest::kWorkFolder,     manifest::kShardFolder,
                                      manifest::kManifestFolder, manifest::kParityFolder,
                                      manifest::kPendingFolder,  manifest::kRankFolder};
  for (const LoaderForm& form : all_forms()) {
    if (!form.folder.empty()) names.push_back(form.folder);
  }
  for (const std::string_view name : names) {
    const Entry entry = base::entry_at(base::inside(folder, name));
    if (entry == Entry::nothing || entry == Entry::folder) continue;
    throw Error(fmt::format("is {}, where shardmill has a folder", base::name(entry)),
                at(base::inside(folder, name)), "move it elsewhere", Remedy::other_folder);
  }
}

/// True for a lock file of shardmill, also for one in a bucket, whose first line is the name of a run. One
/// that was just made is still empty.
bool is_lock(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  if (base::entry_at(path) != Entry::file) return false;
  try {
    const std::string text = base::read_text(path, kMostBytes);
    const auto holder = text.starts_with("host ") ? 0 : text.find("\nhost ");
    return text.find(holder == 0 ? ", pid " : ", since ", holder) != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

/// True for the work of a run: its lock, or the journal or plan with which it continues.
bool is_work_of_run(const std::string& work) {
  return is_lock(work + "/lock") || pipeline::looks_like_journal(pipeline::journal_path(work)) ||
         pipeline::looks_like_journal(work + "/plan") || base::WriterLock::is_folder_taken(work);
}

template <typename Read>
bool can_be_read(Read read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool is_ours(const std::string& folder, OutputKind kind) {
  const std::string work = base::inside(folder, manifest::kWorkFolder);
  switch (kind) {
    case OutputKind::dataset:
      return can_be_read([&] { manifest::read_dataset_record(base::inside(folder, manifest::kDataset)); }) ||
             can_be_read([&] { manifest::read_run_record(base::inside(folder, manifest::kRun)); }) ||
             is_work_of_run(work);
    case OutputKind::converted:
      return holds_converted_records(folder);
    case OutputKind::rank_lists:
      break;
  }
  return !rank_file_names(folder).empty();
}

/// True for the work folder that `index` leaves when it is killed. The shards beside it may be of others.
bool holds_only_staged_indexes(const std::string& work) {
  const std::vector<std::string> names = names_in(work);
  const auto has_name = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return has_name(manifest::kStagedIndexes) && names.size() == (has_name("lock") ? 2 : 1);
}

/// True when the folder holds nothing of anybody.
bool is_empty(const std::string& folder) {
  const std::vector<std::string> names = names_in(folder);
  if (names.empty()) return true;
  return names.size() == 1 && names.front() == manifest::kWorkFolder &&
         is_bare_work_folder(base::inside(folder, manifest::kWorkFolder));
}

/// "data.list, shards and 3 more".
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t kShown = 3;
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += (text.empty() ? "" : ", ") + printable(names[i]);
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

/// When there is a dataset.json that we cannot read, its error is reported first: it may be of a newer
/// version.
void complain_of_record(const std::string& folder) {
  const std::string path = base::inside(folder, manifest::kDataset);
  if (base::entry_at(path) == Entry::nothing) return;
  try {
    manifest::read_dataset_record(path);
  } catch (const Error& error) {
    throw Error("is not a record that this shardmill wrote: " + error.problem(), at(path),
                Remedy::not_replaced);
  }
}

}  // namespace

bool is_bare_work_folder(const std::string& work) {
  const std::vector<std::string> names = names_in(work);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::string path = base::inside(work, name);
    if (name == kConvertedFolderName) return holds_only_converted_records(path);
    std::error_code unknown;
    return name == "lock" && base::entry_at(path) == Entry::file &&
           (is_lock(path) || fs::file_size(path, unknown) == 0);
  });
}

void check_not_in_dataset(const std::string& folder) {
  const fs::path place = base::canonical(folder);
  for (fs::path outer = place.parent_path(); outer != outer.root_path(); outer = outer.parent_path()) {
    if (!can_be_read(
            [&] { manifest::read_dataset_record(base::inside(outer.string(), manifest::kDataset)); }))
      continue;
    throw Error(fmt::format("lies in the finished dataset {}, whose records would not know the new files",
                            outer.string()),
                at(folder), "choose a folder outside of it");
  }
}

void check_output_is_ours(const std::string& folder, OutputKind kind) {
  const bool is_rank_folder =
      kind == OutputKind::rank_lists && fs::path(folder).filename() == manifest::kRankFolder;
  if (!is_rank_folder) check_not_in_dataset(folder);
  const Entry entry = base::entry_at(folder);
  if (entry == Entry::nothing) return;
  if (!base::is_folder(folder)) {
    throw Error(entry == Entry::link ? "is a link that leads to no folder" : "is not a folder", at(folder),
                Remedy::other_folder);
  }
  if (kind != OutputKind::rank_lists) check_own_folders(folder);
  for (int look = 0; look < kLooks; ++look) {
    if (is_empty(folder) || is_ours(folder, kind)) return;
  }
  if (kind == OutputKind::dataset) complain_of_record(folder);
  throw Error(fmt::format("holds what shardmill did not make here: {}", some_of(names_in(folder))),
              at(folder), is_rank_folder ? "move it elsewhere" : "", Remedy::not_replaced);
}

bool holds_work_of_run(const std::string& folder) {
  const std::string work = base::inside(folder, manifest::kWorkFolder);
  return base::may_exist(work) && !holds_converted_records(folder) && !holds_only_staged_indexes(work);
}

bool holds_unfinished_run(const std::string& folder) {
  const std::vector<std::string> names = names_in(base::inside(folder, manifest::kWorkFolder));
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name != "lock" && name != kConvertedFolderName && name != manifest::kStagedIndexes;
  });
}

bool has_records_of_dataset(const std::string& folder) {
  return can_be_read([&] { manifest::read_run_record(base::inside(folder, manifest::kRun)); });
}

void check_work_folder_is_ours(const std::string& folder) {
  const std::string work = base::inside(folder, manifest::kWorkFolder);
  for (int look = 0; look < kLooks; ++look) {
    const Entry entry = base::entry_at(work);
    if (entry == Entry::nothing) return;
    if (entry == Entry::folder && (is_bare_work_folder(work) || is_work_of_run(work))) return;
  }
  throw Error("is in the way, and is not shardmill's", at(work), "move it elsewhere");
}

bool check_file_may_be_written(const std::string& path) {
  const Entry entry = base::entry_at(path);
  if (entry != Entry::nothing && entry != Entry::file)
    throw Error(fmt::format("is {}, and is not replaced", base::name(entry)), at(path),
                "choose another name");
  const fs::path whole = base::canonical(fs::absolute(path));
  for (fs::path folder = whole.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string inner = whole.lexically_relative(folder).string();
    const bool is_work = *fs::path(inner).begin() == manifest::kWorkFolder;
    if (is_work || (inner != manifest::kReport && dataset_file_names(folder.string()).contains(inner)))
      throw Error("is a file of a dataset, and is not replaced", at(path), "choose another name");
  }
  return entry == Entry::file;
}

namespace {

bool has(const std::string& folder, std::string_view name) {
  return base::may_exist(base::inside(folder, name));
}

/// The datasets of a split get their names together: before all of them are made, none does.
bool may_publish(const std::string& folder) {
  const std::string outer = std::filesystem::path(base::canonical(folder)).parent_path().string();
  const std::string work = outer + "/" + std::string(manifest::kWorkFolder);
  return !has(work, kSplitBegun) || has(work, manifest::kSplit);
}

/// Where no work is left, but dataset.json is gone.
Error lost_record(const std::string& folder) {
  std::string problem = "the dataset is not finished: there is no dataset.json";
  if (has(folder, manifest::kParityFolder))
    return Error(std::move(problem), at(folder),
                 fmt::format("'shardmill repair {}' makes it again", base::shell_quoted(folder)));
  return Error(std::move(problem), at(folder),
               base::is_remote(folder) ? "the same repack command goes on, where it finds its work folder"
                                       : "the same repack command makes the dataset again");
}

}  // namespace

Unfinished unfinished_in(const std::string& folder) {
  const std::string work = base::inside(folder, manifest::kWorkFolder);
  std::error_code unknown;  // then there is no work to go on with
  if (!std::filesystem::is_directory(work, unknown)) return Unfinished::nothing;
  if (base::may_exist(publish_list_path(work)) && may_publish(folder)) return Unfinished::publishing;
  if (has(work, "plan")) return Unfinished::parts;
  if (base::may_exist(pipeline::journal_path(work))) return Unfinished::run;
  if (has(folder, kUpdateFolder)) return Unfinished::update;
  return holds_unfinished_run(folder) ? Unfinished::run : Unfinished::nothing;
}

Error unfinished_error(const std::string& folder) {
  const bool is_finished = has(folder, manifest::kDataset);
  const std::string as_before = is_finished ? ", and the dataset is as it was before" : "";
  switch (unfinished_in(folder)) {
    case Unfinished::publishing:
      return Error("a command was interrupted while it gave the new files their names", at(folder),
                   fmt::format("'shardmill repair {}' completes it", base::shell_quoted(folder)));
    case Unfinished::parts:
      return Error(
          "a run in parts was begun here and is not finished" + as_before, at(folder),
          fmt::format("'shardmill repack --out {} --finish' goes on with it", base::shell_quoted(folder)));
    case Unfinished::update:
      if (!is_finished) break;
      return Error("an update was begun here and interrupted" + as_before, at(folder),
                   "the same update command goes on with it");
    case Unfinished::run:
      if (is_finished) {
        return Error(
            "another run was begun here to replace the dataset, and was interrupted; the dataset is as it "
            "was before",
            at(folder), "the same repack command starts over");
      }
      return Error("the dataset is not finished: repack was interrupted", at(folder),
                   "the same repack command goes on with it");
    case Unfinished::nothing:
      break;
  }
  return lost_record(folder);
}

}  // namespace shardmill::dataset
