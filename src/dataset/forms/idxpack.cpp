// NeMo's index pack: the places of all samples and of all lines of manifests in one file, for its indexed
// readers of the dataset as nemo/input_cfg.yaml names it.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "dataset/form_files.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kNemoPack = "idxpack/nemo.idxpack";
constexpr std::string_view kPackedPlaces = "idxpack/nemo.places";

/// The places in the files of one shard.
struct ShardPlaces {
  std::vector<std::uint64_t> lines;
  std::vector<std::uint64_t> samples;
};

/// The file that is the same at every place: for each shard, both lists with their lengths.
std::string places_text(const std::vector<ShardPlaces>& shards) {
  std::string out;
  for (const ShardPlaces& shard : shards) {
    for (const auto* const places : {&shard.lines, &shard.samples}) {
      append_place(out, places->size());
      out += idx_text(*places);
    }
  }
  return out;
}

/// Reads places_text(). Throws Error for anything else.
std::vector<ShardPlaces> places_of(const std::string& path, std::size_t shards) {
  const std::vector<std::uint64_t> numbers = places_in(path);
  auto next = numbers.begin();
  const auto take = [&](std::vector<std::uint64_t>& places) {
    const auto left = static_cast<std::uint64_t>(numbers.end() - next);
    if (left == 0 || *next == 0 || *next > left - 1)
      throw Error("does not have the places of all shards", at(path));
    const auto begin = next + 1;
    next = begin + static_cast<std::ptrdiff_t>(*next);
    places.assign(begin, next);
  };
  std::vector<ShardPlaces> all(shards);
  for (ShardPlaces& shard : all) {
    take(shard.lines);
    take(shard.samples);
  }
  if (next != numbers.end()) throw Error("has the places of more shards than the dataset has", at(path));
  return all;
}

IndexPack nemo_pack(const std::vector<ShardToIndex>& shards, const std::vector<ShardPlaces>& places) {
  NemoPaths paths;
  if (!shards.empty()) paths = nemo_paths(shards);
  IndexPack pack{{.role = "manifest", .kind = "jsonl", .source_spec = paths.manifests, .files = {}},
                 {.role = "tar", .kind = "nemo_tar", .source_spec = paths.tars, .files = {}}};
  for (std::size_t i = 0; i < shards.size(); ++i) {
    pack[0].files.push_back(
        {.path = listed_beside(shards[i], manifest::manifest_path(i)), .places = places[i].lines});
    pack[1].files.push_back({.path = shards[i].listed, .places = places[i].samples});
  }
  return pack;
}

void write_idxpack(const FormWork& work, WrittenIndexes& written) {
  std::vector<ShardPlaces> places(work.shards.size());
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    work.reporter.check_stop();
    places[i] = {.lines = line_places(work.shards[i].manifest, work.reporter),
                 .samples = sample_places_in(work.shards[i].path)};
  });
  written.files.push_back(write_whole(work.folder, std::string(kPackedPlaces), places_text(places)));
  written.files.push_back(write_pack_file(work.folder, kNemoPack, nemo_pack(work.shards, places)));
}

/// The pack of a dataset below `root`, from its places.
IndexPack recorded_pack(const DatasetRecords& records, const std::string& root) {
  return nemo_pack(shards_below(records, root),
                   places_of(records.path(kPackedPlaces), records.shards->size()));
}

void check_idxpack(const DatasetRecords& records, base::Reporter& /*reporter*/, FindingList& findings) {
  try {
    if (const auto root = root_in_list(records))
      check_pack_file(records, kNemoPack, recorded_pack(records, *root), findings);
  } catch (const Error&) {
    // data.list or the places cannot be read, which others report.
  }
}

std::vector<std::string> rewrite_idxpack(const DatasetRecords& records, const std::string& root) {
  return {write_pack_file(records.folder, kNemoPack, recorded_pack(records, root)).path};
}

}  // namespace

LoaderForm idxpack_form() {
  return {.name = "idxpack",
          .help =
              "idxpack/nemo.idxpack: the places of all samples and manifest lines in one file, for\n"
              "NeMo's indexed readers of the dataset in nemo/input_cfg.yaml",
          .folder = kPackFolder,
          .sign = kPackedPlaces,
          .owns = [](std::string_view file) { return file == kNemoPack || file == kPackedPlaces; },
          .files =
              [](const auto&, const auto&) {
                return std::vector{std::string(kPackedPlaces), std::string(kNemoPack)};
              },
          .write = write_idxpack,
          .is_placed = [](std::string_view file) { return file == kNemoPack; },
          .find_placed =
              [](const std::string&, const std::vector<std::string>& names) {
                return beside(names, kPackedPlaces, kNemoPack);
              },
          .check_placed = check_idxpack,
          .write_placed = rewrite_idxpack};
}

}  // namespace shardmill::dataset
