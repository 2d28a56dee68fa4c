#include "dataset/owned_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "codec/codec.hpp"
#include "dataset/form_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/publish.hpp"
#include "dataset/recipe.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/rank_plan_record.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/run_record.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

/// True when `read` succeeds. If a record is missing or damaged, the files it would name are left alone.
template <typename Read>
bool was_read(Read read) {
  try {
    read();
    return true;
  } catch (const Error&) {
    return false;
  }
}

constexpr std::array kRecords{manifest::kShardRecords, manifest::kShardList, manifest::kAllSamples,
                              manifest::kRejects,      manifest::kChecksums, manifest::kDataset,
                              manifest::kRun};

FileNames listed_in(const std::string& folder) {
  FileNames names;
  was_read([&] {
    for (manifest::Checksum& checksum : manifest::read_checksums(base::inside(folder, manifest::kChecksums)))
      names.insert(std::move(checksum.path));
  });
  return names;
}

/// True for names that shardmill gives. Somebody may have added other files to SHA256SUMS.
bool is_name_in_dataset(const std::string& name) {
  const std::string top = fs::path(name).begin()->string();
  return (top != name && (top == manifest::kShardFolder || top == manifest::kManifestFolder ||
                          top == manifest::kPendingFolder || manifest::is_parity_file_name(name))) ||
         (form_of(name) != nullptr && !may_be_users(name));
}

bool has_head(const std::string& path, std::string_view wanted) {
  bool is_so = false;
  was_read([&] {
    std::string head(wanted.size(), '\0');
    const base::File file = base::File::open_read(path);
    head.resize(file.read_at(std::as_writable_bytes(std::span(head)), 0));
    is_so = head == wanted;
  });
  return is_so;
}

void add_shards(const std::string& folder, FileNames& names) {
  was_read([&] {
    manifest::RecordReader reader(base::inside(folder, manifest::kShardRecords));
    for (manifest::ShardRecord shard; reader.next(shard);) {
      names.insert(shard.path);
      names.insert(manifest::manifest_path(shard.shard_id));
    }
  });
}

/// Adds the names that follow from dataset.json, even when the other records are missing.
void add_told_by_dataset_record(const std::string& folder, FileNames& names) {
  was_read([&] {
    const manifest::DatasetRecord dataset =
        manifest::read_dataset_record(base::inside(folder, manifest::kDataset));
    const auto asked = known_fields(dataset.options, {"codec", "prefix"});
    if (!asked || asked->prefix.empty() || asked->prefix.find('/') != std::string::npos) return;
    DatasetNaming naming{.prefix = asked->prefix,
                         .codec_suffix = std::string(codec::suffix(asked->codec)),
                         .shards = dataset.shards,
                         .indexes = known_fields(dataset.options, {"index"}).value_or(Recipe()).indexes,
                         .datasets = {},
                         .parity = dataset.parity};
    for (const auto& part : dataset.datasets) naming.datasets.push_back(part.dataset);
    for (std::string& name : names_in_dataset(naming)) names.insert(std::move(name));
  });
}

void add_ranks(const std::string& folder, FileNames& names) {
  const std::string ranks(manifest::kRankFolder);
  for (const std::string& name : rank_file_names(base::inside(folder, ranks)))
    names.insert(ranks + "/" + name);
}

}  // namespace

std::vector<std::string> names_in_dataset(const DatasetNaming& naming) {
  constexpr std::uint64_t kMostShards = 1'000'000;
  const std::uint64_t shards = std::min(naming.shards, kMostShards);
  std::vector<std::string> shard_names;
  for (std::uint64_t i = 0; i < shards; ++i) {
    shard_names.push_back(manifest::shard_path(naming.prefix, i, naming.codec_suffix));
  }
  std::vector<std::string> names = form_file_names(naming.indexes, shard_names, naming.datasets);
  for (std::string& name : parity_file_names(shards, naming.parity)) names.push_back(std::move(name));
  names.insert(names.end(), shard_names.begin(), shard_names.end());
  for (std::uint64_t i = 0; i < shards; ++i) names.push_back(manifest::manifest_path(i));
  names.insert(names.end(), kRecords.begin(), kRecords.end());
  return names;
}

FileNames dataset_file_names(const std::string& folder) {
  FileNames names;
  const bool is_dataset =
      was_read([&] { manifest::read_dataset_record(base::inside(folder, manifest::kDataset)); }) ||
      was_read([&] { manifest::read_run_record(base::inside(folder, manifest::kRun)); });
  if (is_dataset) {
    names.insert(kRecords.begin(), kRecords.end());
    add_told_by_dataset_record(folder, names);
    for (const std::string& name : listed_in(folder)) {
      const bool is_ours =
          may_be_users(name) && has_head(base::inside(folder, name), form_of(name)->users_head);
      if (is_name_in_dataset(name) || is_ours) names.insert(name);
    }
    add_shards(folder, names);
    for (std::string& name : placed_files_with(folder, {names.begin(), names.end()}))
      names.insert(std::move(name));
    add_ranks(folder, names);
    if (is_report_page(base::inside(folder, manifest::kReport))) names.emplace(manifest::kReport);
  }
  names.merge(names_being_published(folder));
  return names;
}

FileNames rank_file_names(const std::string& folder) {
  FileNames names;
  was_read([&] {
    const manifest::RankPlanRecord plan = manifest::read_rank_plan(base::inside(folder, manifest::kRankPlan));
    names.emplace(manifest::kRankPlan);
    for (const manifest::RankPlanRecord::World& world : plan.worlds) {
      if (!world.strided_list.empty()) names.insert(world.strided_list);
      for (const manifest::RankPlanRecord::Rank& rank : world.ranks) names.insert(rank.list);
    }
  });
  FileNames listed = listed_in(folder);
  const auto is_ours = [](const std::string& name) {
    return name == manifest::kRankPlan || manifest::is_rank_list_name(name);
  };
  if (!listed.empty() && std::all_of(listed.begin(), listed.end(), is_ours)) {
    names.merge(listed);
    names.emplace(manifest::kChecksums);
  }
  return names;
}

bool is_report_page(const std::string& path) {
  constexpr std::size_t kHeadBytes = 4096;
  try {
    std::string head(kHeadBytes, '\0');
    const base::File file = base::File::open_read(path);
    head.resize(file.read_at(std::as_writable_bytes(std::span(head)), 0));
    return head.starts_with("<!DOCTYPE html>") && head.find("shardmill report</title>") != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

bool holds_just(const std::string& path, const std::string& sha256) {
  if (base::entry_at(path) != base::Entry::file) return false;
  constexpr std::size_t kChunkBytes = 1 << 20;
  std::vector<std::byte> chunk(kChunkBytes);
  base::File file = base::File::open_read(path);
  base::Sha256 hash;
  for (std::size_t got = file.read(chunk); got > 0; got = file.read(chunk))
    hash.update(std::span(chunk).first(got));
  return base::to_hex(hash.digest()) == sha256;
}

void check_not_taken(const std::string& folder, const std::vector<std::string>& names,
                     const FileNames& owned) {
  for (const std::string& name : names) {
    const std::string path = base::inside(folder, name);
    if (!base::is_reached_without_links(folder, name))
      throw Error("cannot be written: a part of its path is not a folder", at(path), "move that elsewhere");
    const base::Entry entry = base::entry_at(path);
    if (entry == base::Entry::nothing) continue;
    if (entry == base::Entry::folder || entry == base::Entry::other) {
      throw Error(entry == base::Entry::folder
                      ? "is a folder, and a file of this name is to be written"
                      : "is not a regular file, and one of this name is to be written",
                  at(path), "move it elsewhere");
    }
    if (owned.contains(name)) continue;
    throw Error("is in the way: a file of this name is to be written, and this one is not of the dataset",
                at(path), "move it elsewhere", Remedy::not_replaced);
  }
}

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstLine = "shardmill converted 1\n";
constexpr std::uint64_t kMostRecordBytes = 1 << 20;

std::string records_folder_of(const std::string& folder) {
  return folder + "/" + std::string(manifest::kWorkFolder) + "/" + std::string(kConvertedFolderName);
}

std::optional<std::string> read(const fs::path& path) {
  if (base::entry_at(path) != base::Entry::file) return std::nullopt;
  try {
    const std::string text = base::read_text(path.string(), kMostRecordBytes);
    if (text.starts_with(kFirstLine)) return text.substr(kFirstLine.size());
  } catch (const Error&) {
    // The record is not ours, or cannot be read. Then the result is treated as somebody else's.
  }
  return std::nullopt;
}

std::vector<fs::path> records_in(const std::string& records_folder) {
  if (base::entry_at(records_folder) != base::Entry::folder) return {};
  return base::entries(records_folder);
}

bool is_record(const fs::path& path) {
  return read(path).has_value() || base::is_part_of_atomic_file(path);
}

}  // namespace

bool holds_converted_records(const std::string& folder) {
  if (base::entry_at(folder + "/" + std::string(manifest::kWorkFolder)) != base::Entry::folder) return false;
  const auto records = records_in(records_folder_of(folder));
  return std::any_of(records.begin(), records.end(),
                     [](const fs::path& path) { return read(path).has_value(); });
}

bool holds_only_converted_records(const std::string& records_folder) {
  if (base::entry_at(records_folder) != base::Entry::folder) return false;
  const auto records = records_in(records_folder);
  return std::all_of(records.begin(), records.end(), is_record);
}

std::optional<std::string> read_converted_record(const std::string& folder, const std::string& result_name) {
  return read(fs::path(records_folder_of(folder)) / result_name);
}

void write_converted_record(const std::string& folder, const std::string& result_name,
                            std::string_view details) {
  const std::string records_folder = records_folder_of(folder);
  base::make_folders(records_folder);
  base::AtomicFile file(records_folder + "/" + result_name);
  file.write(kFirstLine);
  file.write(details);
  file.commit();
}

}  // namespace shardmill::dataset
