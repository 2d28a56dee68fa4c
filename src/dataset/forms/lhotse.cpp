// Lhotse, and NeMo with it: for each plain tar and each manifest a file "X.idx" with the places where its
// samples or lines begin and the size of the file, as 64-bit little-endian numbers. It is beside X, or below
// a folder
// (`indexes_root`) that repeats the absolute path of X. Energon's index of a tar has the same name beside the
// tar, and another last number, which both projects insist on: a dataset with both has Lhotse's in that
// folder. These names contain the place of the dataset, so they are not in SHA256SUMS.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/form_files.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/records.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLhotseFolder = "lhotse";  // the indexes_root of a dataset

/// "lhotse/data/mixed/shards/X.tar.idx" for "/data/mixed/shards/X.tar". Throws Error for a path that leads
/// out of the folder.
std::string lhotse_rooted_name(std::string_view listed_path) {
  std::string_view path = listed_path;
  if (const std::size_t scheme = path.find("://"); scheme != std::string_view::npos)
    path.remove_prefix(scheme + 3);
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  std::string name = fs::path(path).lexically_normal().string();
  if (name.starts_with("..") || name.empty())
    throw Error("Lhotse's indexes repeat this path below a folder, and it leads out of the folder",
                at(std::string(listed_path)), "name the place of the dataset without '..'",
                Remedy::list_root);
  return fmt::format("{}/{}.idx", kLhotseFolder, name);
}

std::string line_index_name(std::size_t shard) {
  return idx_name(manifest::manifest_path(shard));
}

/// Writes one index for each manifest and one for the file of all samples, which is the manifests one after
/// another. Writes nothing for shards without manifests.
void write_line_indexes(const FormWork& work, WrittenIndexes& written) {
  const std::vector<ShardToIndex>& shards = work.shards;
  const auto has_no_manifest = [](const ShardToIndex& shard) { return shard.manifest.empty(); };
  if (std::any_of(shards.begin(), shards.end(), has_no_manifest)) return;
  std::vector<std::vector<std::uint64_t>> places(shards.size());
  std::mutex mutex;
  work.workers.for_each(shards.size(), [&](std::size_t i) {
    places[i] = line_places(shards[i].manifest, work.reporter);
    const manifest::Checksum file = write_whole(work.folder, line_index_name(i), idx_text(places[i]));
    const std::lock_guard lock(mutex);
    written.files.push_back(file);
  });
  SummedFile all(work.folder, idx_name(manifest::kAllSamples));
  std::uint64_t begin = 0;
  for (std::vector<std::uint64_t>& of_shard : places) {
    const std::uint64_t bytes = of_shard.back();
    of_shard.pop_back();
    for (std::uint64_t& place : of_shard) place += begin;
    all.write(idx_text(of_shard));
    begin += bytes;
  }
  all.write(idx_text({begin}));
  written.files.push_back(all.commit());
}

/// An index below lhotse/, for a dataset that has Energon's indexes beside its tars.
struct RootedIndex {
  std::string name;    // it contains the absolute path of the indexed file
  std::string beside;  // the index that it is made from
  std::string tar;     // where the tar is; empty: it is the index of a manifest
};

std::vector<RootedIndex> rooted_indexes(const std::vector<ShardToIndex>& shards) {
  std::vector<RootedIndex> indexes;
  const auto add = [&](const std::string& listed, std::string beside, const std::string& tar) {
    indexes.push_back({.name = lhotse_rooted_name(listed), .beside = std::move(beside), .tar = tar});
  };
  bool has_manifests = true;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const ShardToIndex& shard = shards[i];
    add(shard.listed.empty() ? shard.path : shard.listed, tar_index_name(shard.name), shard.path);
    has_manifests = has_manifests && !shard.manifest.empty();
    if (!shard.manifest.empty())
      add(listed_beside(shard, manifest::manifest_path(i)), line_index_name(i), {});
  }
  if (has_manifests && !shards.empty())
    add(listed_beside(shards.front(), manifest::kAllSamples), idx_name(manifest::kAllSamples), {});
  return indexes;
}

/// The text that the index should have. `folder` has the index beside. Throws Error when a file cannot be
/// read.
std::string text_of(const RootedIndex& index, const std::string& folder) {
  std::string text = base::read_text(base::inside(folder, index.beside));
  if (index.tar.empty()) return text;
  // Energon's index but for the last number.
  text.resize(text.size() - std::min(sizeof(std::uint64_t), text.size()));
  append_place(text, base::File::open_read(index.tar).size());
  return text;
}

class LhotseIndexes final : public HeaderReader {
 public:
  explicit LhotseIndexes(const FormWork& work) : work_(work), is_rooted_(has(work.forms, "energon")) {}

  void write_beside(const ReadShard& shard, std::vector<manifest::Checksum>& files) override {
    if (is_rooted_) return;
    files.push_back(write_whole(work_.folder, tar_index_name(shard.shard.name),
                                sample_places(shard.layout, shard.bytes)));
  }

  void finish(const std::vector<CountedShard>&, WrittenIndexes& written) override {
    write_line_indexes(work_, written);
    if (!is_rooted_) return;
    for (const RootedIndex& index : rooted_indexes(work_.shards))
      written.files.push_back(write_whole(work_.folder, index.name, text_of(index, work_.folder)));
  }

 private:
  FormWork work_;
  bool is_rooted_;
};

bool has_lhotse_root(const DatasetRecords& records) {
  return is_in(*form_named("energon"), records) && is_in(*form_named("lhotse"), records);
}

/// All indexes of Lhotse, beside their files and below its folder.
std::vector<IndexedFile> lhotse_indexes(const DatasetRecords& records) {
  const bool has_root = has_lhotse_root(records);
  const std::string root = records.list_root();
  std::vector<IndexedFile> files;
  const auto add = [&](const std::string& data, bool is_beside) {
    if (is_beside) files.push_back({.index = idx_name(data), .data = data});
    if (has_root)
      files.push_back({.index = lhotse_rooted_name(manifest::listed_path(root, data)), .data = data});
  };
  for (const manifest::ShardRecord& shard : *records.shards) {
    add(shard.path, !has_root);
    add(manifest::manifest_path(shard.shard_id), true);
  }
  add(std::string(manifest::kAllSamples), true);
  return files;
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

/// Compares the folder with the indexes beside the shards and manifests, and notes indexes that are older
/// than their data.
void check_lhotse(const DatasetRecords& records, base::Reporter& /*reporter*/, FindingList& findings) {
  try {
    const auto root = root_in_list(records);
    if (!root) return;
    if (has_lhotse_root(records)) {
      for (const RootedIndex& index : rooted_indexes(shards_below(records, *root)))
        check_rooted(records, index, findings);
    }
    note_older_indexes(records, lhotse_indexes(records), "lhotse", findings);
  } catch (const Error&) {
    // data.list cannot be read, which others report.
  }
}

/// The files below lhotse/ that are indexes of these shards and manifests, for any place.
std::vector<std::string> find_rooted(const std::string& folder, const std::vector<std::string>& names) {
  std::set<std::string> wanted;
  for (const std::string& name : names) wanted.insert(idx_name(name));
  std::vector<std::string> found;
  std::error_code failure;  // ignored: a file that cannot be seen is not ours
  const std::string root = base::inside(folder, kLhotseFolder);
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

/// Removes the folders above a file as far as they are empty.
void remove_with_folders(const std::string& folder, const std::string& name) {
  base::remove_file(base::inside(folder, name));
  for (fs::path above = fs::path(name).parent_path(); !above.empty(); above = above.parent_path())
    base::remove_folder_if_empty(base::inside(folder, above.string()));
}

/// Writes the folder for shards below `root`, and removes the indexes for another place.
std::vector<std::string> write_lhotse_root(const DatasetRecords& records, const std::string& root) {
  if (!has_lhotse_root(records)) return {};
  std::set<std::string> written;
  for (const RootedIndex& index : rooted_indexes(shards_below(records, root))) {
    write_whole(records.folder, index.name, text_of(index, records.folder));
    written.insert(index.name);
  }
  std::vector<std::string> data{std::string(manifest::kAllSamples)};
  for (const manifest::ShardRecord& shard : *records.shards) {
    data.push_back(shard.path);
    data.push_back(manifest::manifest_path(shard.shard_id));
  }
  for (const std::string& name : find_rooted(records.folder, data)) {
    if (!written.contains(name)) remove_with_folders(records.folder, name);
  }
  return {written.begin(), written.end()};
}

void refresh_lhotse(const DatasetRecords& records) {
  refresh_older_indexes(records, lhotse_indexes(records));
}

std::vector<std::string> lhotse_names(const std::vector<std::string>& shards,
                                      const std::vector<std::string>&) {
  std::vector<std::string> names;
  for (const std::string& shard : shards) names.push_back(tar_index_name(shard));
  for (std::size_t shard = 0; shard < shards.size(); ++shard) names.push_back(line_index_name(shard));
  names.push_back(idx_name(manifest::kAllSamples));
  return names;
}

bool is_rooted_name(std::string_view file) {
  return manifest::is_below(file, kLhotseFolder) && file.ends_with(".idx");
}

bool is_lhotses(std::string_view file) {
  const bool is_beside_manifest =
      manifest::is_below(file, manifest::kManifestFolder) && file.ends_with(".idx");
  const bool is_beside_tar = manifest::is_below(file, manifest::kShardFolder) && file.ends_with(".tar.idx");
  return is_beside_manifest || is_beside_tar || file == idx_name(manifest::kAllSamples) ||
         is_rooted_name(file);
}

}  // namespace

LoaderForm lhotse_form() {
  static const std::string sign = idx_name(manifest::kAllSamples);
  return {.name = "lhotse",
          .help =
              "X.tar.idx for each X.tar and X.json.idx for each manifest, for Lhotse's and NeMo's\n"
              "indexed readers; beside energon's, in lhotse/ as their indexes_root",
          .needs_manifests = false,
          .folder = kLhotseFolder,
          .sign = sign,
          .companion = "energon",
          .owns = is_lhotses,
          .files = lhotse_names,
          .read_headers = [](const FormWork& work) -> std::unique_ptr<HeaderReader> {
            return std::make_unique<LhotseIndexes>(work);
          },
          .is_placed = is_rooted_name,
          .find_placed = find_rooted,
          .check_placed = check_lhotse,
          .write_placed = write_lhotse_root,
          .refresh = refresh_lhotse};
}

}  // namespace shardmill::dataset
