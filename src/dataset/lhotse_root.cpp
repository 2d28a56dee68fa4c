#include "dataset/lhotse_root.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/filesystem.hpp"
#include "base/io/folder.hpp"
#include "dataset/indexes/index_file.hpp"
#include "dataset/indexes/lhotse.hpp"
#include "dataset/indexes/listed_root.hpp"
#include "manifest/layout.hpp"
#include "manifest/loader_index.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

using manifest::IndexKind;

namespace {

bool lists_all(const DatasetRecords& records, IndexKind kind) {
  std::vector<std::string> shards;
  std::vector<std::string> datasets;
  for (const manifest::ShardRecord& shard : *records.shards) shards.push_back(shard.path);
  for (const auto& part : records.dataset->datasets) {
    if (part.samples != 0) datasets.push_back(part.dataset);
  }
  const auto names = index_file_names({kind}, shards, datasets);
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return depends_on_place(name) || may_be_left_out(name) || records.checksums->contains(name);
  });
}

/// The index of this file of the dataset is older than the file.
bool is_older(const std::string& index, const std::string& data) {
  std::error_code failure;
  const auto index_time = fs::last_write_time(index, failure);
  if (failure) return false;
  const auto data_time = fs::last_write_time(data, failure);
  return !failure && index_time < data_time;
}

/// Calls `use` with each index of Lhotse that is older than its data, and with the data. Both are names.
template <typename Use>
void for_each_older(const DatasetRecords& records, const Use& use) {
  if (!records.checksums || !records.shards || records.shards->empty()) return;
  const std::string all = manifest::lhotse_index_name(manifest::kAllSamples);
  if (!records.checksums->contains(all)) return;
  const bool has_root = has_lhotse_root(records);
  const auto look = [&](const std::string& index, const std::string& data) {
    if (is_older(records.path(index), records.path(data))) use(index, data);
  };
  const std::string root = records.list_root();
  const auto look_at = [&](const std::string& data, bool is_beside) {
    if (is_beside) look(manifest::lhotse_index_name(data), data);
    if (has_root) look(manifest::lhotse_rooted_name(manifest::listed_path(root, data)), data);
  };
  for (const manifest::ShardRecord& shard : *records.shards) {
    look_at(shard.path, !has_root);
    look_at(manifest::manifest_path(shard.shard_id), true);
  }
  look_at(std::string(manifest::kAllSamples), true);
}

void check_rooted(const DatasetRecords& records, const RootedIndex& index, FindingList& findings) {
  const std::string path = records.path(index.name);
  if (!base::exists(path)) {
    findings.add_cause(at(path), "is missing");
    return;
  }
  try {
    const std::string wanted = text_of(index, records.folder);
    if (base::read_text(path) != wanted)
      findings.add_cause(at(path), fmt::format("does not fit {} and data.list", index.beside));
  } catch (const Error& error) {
    if (error.where().path == path) findings.add_cause(error);  // the others are those of other files
  }
}

/// Removes the folders above a file as far as they are empty.
void remove_with_folders(const std::string& folder, const std::string& name) {
  base::remove_file(base::inside(folder, name));
  for (fs::path above = fs::path(name).parent_path(); !above.empty(); above = above.parent_path())
    base::remove_folder_if_empty(base::inside(folder, above.string()));
}

}  // namespace

IndexKinds index_kinds_of(const DatasetRecords& records) {
  IndexKinds kinds;
  const auto add = [&](const IndexKinds& more) {
    for (const IndexKind kind : more) {
      if (!has(kinds, kind)) kinds.push_back(kind);
    }
  };
  if (const auto asked = records.dataset ? records.known({"index"}) : std::nullopt) add(asked->indexes);
  if (records.run) add(records.run->indexes);
  if (records.dataset && records.shards && records.checksums) {
    for (const IndexKind kind : manifest::kAllIndexKinds) {
      if (!has(kinds, kind) && lists_all(records, kind)) kinds.push_back(kind);
    }
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

IndexKinds with_companions(IndexKinds kinds, const IndexKinds& present) {
  for (const auto& [one, other] :
       {std::pair(IndexKind::energon, IndexKind::lhotse), std::pair(IndexKind::lhotse, IndexKind::energon)}) {
    if (has(kinds, one) && has(present, other) && !has(kinds, other)) kinds.push_back(other);
  }
  return kinds;
}

bool has_lhotse_root(const DatasetRecords& records) {
  return records.checksums && records.checksums->contains(std::string(manifest::kEnergonInfo)) &&
         records.checksums->contains(manifest::lhotse_index_name(manifest::kAllSamples));
}

void check_lhotse_root(const DatasetRecords& records, FindingList& findings) {
  if (!records.checksums || !records.shards || records.shards->empty()) return;
  try {
    const auto root = root_in_list(records);
    if (!root) return;
    if (has_lhotse_root(records)) {
      for (const RootedIndex& index : rooted_indexes(shards_below(records, *root)))
        check_rooted(records, index, findings);
    }
    for_each_older(records, [&](const std::string& index, const std::string& data) {
      findings.note(at(records.path(index)),
                    fmt::format("is older than {}, and Lhotse's index packs refuse that: 'shardmill index {} "
                                "--index lhotse' or touch gives it the time of now",
                                data, records.folder));
    });
  } catch (const Error&) {
    // data.list cannot be read, which others report.
  }
}

std::vector<std::string> write_lhotse_root(const DatasetRecords& records, const std::string& root) {
  const std::vector<ShardToIndex> shards = shards_below(records, root);
  std::set<std::string> written;
  for (const RootedIndex& index : rooted_indexes(shards)) {
    write_whole(records.folder, index.name, text_of(index, records.folder));
    written.insert(index.name);
  }
  std::vector<std::string> data{std::string(manifest::kAllSamples)};
  for (const manifest::ShardRecord& shard : *records.shards) {
    data.push_back(shard.path);
    data.push_back(manifest::manifest_path(shard.shard_id));
  }
  for (const std::string& name : rooted_files(records.folder, data)) {
    if (!written.contains(name)) remove_with_folders(records.folder, name);
  }
  return {written.begin(), written.end()};
}

std::vector<std::string> rooted_files(const std::string& folder, const std::vector<std::string>& names) {
  std::set<std::string> wanted;
  for (const std::string& name : names) wanted.insert(manifest::lhotse_index_name(name));
  std::vector<std::string> found;
  std::error_code failure;  // what cannot be seen is not ours to touch
  const std::string root = base::inside(folder, manifest::kLhotseFolder);
  for (auto each = fs::recursive_directory_iterator(root, failure);
       !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    const fs::path path = each->path();
    const std::string last = path.filename().string();
    const std::string last_two = (path.parent_path().filename() / path.filename()).string();
    std::error_code unknown;
    if ((wanted.contains(last) || wanted.contains(last_two)) && each->is_regular_file(unknown))
      found.push_back(path.lexically_relative(folder).string());
  }
  return found;
}

void refresh_lhotse_indexes(const DatasetRecords& records) {
  for_each_older(records, [&](const std::string& index, const std::string&) {
    std::error_code failure;  // verify notes what stays older
    fs::last_write_time(records.path(index), fs::file_time_type::clock::now(), failure);
  });
}

}  // namespace shardmill::dataset
