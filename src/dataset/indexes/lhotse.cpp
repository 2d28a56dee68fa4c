#include "dataset/indexes/lhotse.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/indexes/index_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/loader_index.hpp"

namespace shardmill::dataset {

namespace {

std::string line_index_name(std::size_t shard) {
  return manifest::lhotse_index_name(manifest::manifest_path(shard));
}

/// Where the lines begin, and where the file ends.
std::vector<std::uint64_t> line_places(const std::string& path, base::Reporter& reporter) {
  constexpr std::size_t kReadBytes = std::size_t{1} << 20;
  std::string text(kReadBytes, '\0');
  std::vector<std::uint64_t> places{0};
  base::File file = base::File::open_read(path);
  std::uint64_t begin = 0;
  for (;;) {
    reporter.check_stop();
    const std::size_t got = file.read(std::as_writable_bytes(std::span(text)));
    if (got == 0) break;
    const std::string_view part(text.data(), got);
    for (std::size_t at = part.find('\n'); at != std::string_view::npos; at = part.find('\n', at + 1))
      places.push_back(begin + at + 1);
    begin += got;
  }
  if (places.back() != begin) places.push_back(begin);
  return places;
}

/// How lists with absolute paths name another file of the dataset.
std::string listed_beside(const ShardToIndex& shard, std::string_view inner) {
  return shard.listed.substr(0, shard.listed.size() - shard.name.size()) + std::string(inner);
}

}  // namespace

std::vector<std::string> line_index_names(std::size_t shards) {
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards; ++shard) names.push_back(line_index_name(shard));
  names.push_back(manifest::lhotse_index_name(manifest::kAllSamples));
  return names;
}

void write_line_indexes(const std::vector<ShardToIndex>& shards, const std::string& folder,
                        pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written) {
  const auto has_none = [](const ShardToIndex& shard) { return shard.manifest.empty(); };
  if (std::any_of(shards.begin(), shards.end(), has_none)) return;
  std::vector<std::vector<std::uint64_t>> places(shards.size());
  std::mutex mutex;
  workers.for_each(shards.size(), [&](std::size_t i) {
    places[i] = line_places(shards[i].manifest, reporter);
    const manifest::Checksum file =
        write_whole(folder, line_index_name(i), manifest::lhotse_index(places[i]));
    const std::lock_guard lock(mutex);
    written.files.push_back(file);
  });
  IndexFile all(folder, manifest::lhotse_index_name(manifest::kAllSamples));
  std::uint64_t begin = 0;
  for (std::vector<std::uint64_t>& of_shard : places) {
    const std::uint64_t bytes = of_shard.back();
    of_shard.pop_back();
    for (std::uint64_t& place : of_shard) place += begin;
    all.write(manifest::lhotse_index(of_shard));
    begin += bytes;
  }
  all.write(manifest::lhotse_index(std::vector<std::uint64_t>{begin}));
  written.files.push_back(all.commit());
}

std::vector<RootedIndex> rooted_indexes(const std::vector<ShardToIndex>& shards) {
  std::vector<RootedIndex> indexes;
  const auto add = [&](const std::string& listed, std::string beside, const std::string& tar) {
    indexes.push_back(
        {.name = manifest::lhotse_rooted_name(listed), .beside = std::move(beside), .tar = tar});
  };
  bool has_manifests = true;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const ShardToIndex& shard = shards[i];
    add(shard.listed.empty() ? shard.path : shard.listed, manifest::energon_index_name(shard.name),
        shard.path);
    has_manifests = has_manifests && !shard.manifest.empty();
    if (!shard.manifest.empty())
      add(listed_beside(shard, manifest::manifest_path(i)), line_index_name(i), {});
  }
  if (has_manifests && !shards.empty())
    add(listed_beside(shards.front(), manifest::kAllSamples),
        manifest::lhotse_index_name(manifest::kAllSamples), {});
  return indexes;
}

std::string text_of(const RootedIndex& index, const std::string& folder) {
  std::string text = base::read_text(base::inside(folder, index.beside));
  if (index.tar.empty()) return text;
  return manifest::lhotse_tar_index(text, base::File::open_read(index.tar).size());
}

void write_rooted_indexes(const std::vector<ShardToIndex>& shards, const std::string& folder,
                          WrittenIndexes& written) {
  for (const RootedIndex& index : rooted_indexes(shards))
    written.files.push_back(write_whole(folder, index.name, text_of(index, folder)));
}

}  // namespace shardmill::dataset
