// NeMo: the dataset as an input_cfg, and the buckets for its Lhotse reader.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "deal/bins.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kNemoFolder = "nemo";
constexpr std::string_view kNemoInput = "nemo/input_cfg.yaml";
constexpr std::string_view kNemoBuckets = "nemo/buckets.yaml";

constexpr std::size_t kNemoBucketCount = 30;  // NeMo's default

std::string all_of(const std::string& first, std::size_t count, std::string_view end) {
  if (count == 1) return first;
  constexpr std::size_t kDigits = 9;
  const std::string stem = first.substr(0, first.size() - end.size() - kDigits);
  return fmt::format("{}_OP_{:09}..{:09}_CL_{}", stem, 0, count - 1, end);
}

std::vector<double> all_seconds(const FormWork& work) {
  std::vector<std::vector<double>> of_shards(work.shards.size());
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    for_each_sample(work.shards[i].manifest, work.reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                      of_shards[i].push_back(record.duration_seconds);
                    });
  });
  std::vector<double> all;
  for (const std::vector<double>& seconds : of_shards) all.insert(all.end(), seconds.begin(), seconds.end());
  return all;
}

std::string nemo_buckets(const std::vector<double>& seconds) {
  const std::size_t buckets = std::min(kNemoBucketCount, seconds.size());
  const std::vector<double> bins =
      buckets < 2 ? std::vector<double>{} : deal::duration_bins(seconds, buckets);
  std::string text =
      "# Written by shardmill, for train_ds beside input_cfg: buckets of equal audio, as NeMo's\n"
      "# estimate_duration_bins.py finds them. shardmill ranks --buckets N finds those for another number.\n";
  // With one bucket there is nothing to divide.
  text += fmt::format("use_bucketing: {}\nnum_buckets: {}\nbucket_duration_bins: [", !bins.empty(),
                      bins.size() + 1);
  for (std::size_t i = 0; i < bins.size(); ++i) text += (i == 0 ? "" : ", ") + deal::bin_text(bins[i]);
  return text + "]\n";
}

std::string nemo_input(const std::vector<ShardToIndex>& shards) {
  if (shards.empty()) return "[]\n";
  const NemoPaths paths = nemo_paths(shards);
  return fmt::format(
      "# Written by shardmill: the dataset for input_cfg in NeMo. With skip_missing_manifest_entries NeMo "
      "skips\n"
      "# members of the shards that no manifest lists.\n"
      "- type: nemo_tarred\n"
      "  manifest_filepath: {}\n"
      "  tarred_audio_filepaths: {}\n"
      "  skip_missing_manifest_entries: true\n",
      base::json_string(paths.manifests), base::json_string(paths.tars));
}

void write_nemo(const FormWork& work, WrittenIndexes& written) {
  written.files.push_back(write_whole(work.folder, std::string(kNemoInput), nemo_input(work.shards)));
  written.files.push_back(
      write_whole(work.folder, std::string(kNemoBuckets), nemo_buckets(all_seconds(work))));
}

}  // namespace

NemoPaths nemo_paths(const std::vector<ShardToIndex>& shards) {
  const ShardToIndex& first = shards.front();
  return {.manifests = all_of(listed_beside(first, manifest::manifest_path(0)), shards.size(), ".json"),
          .tars = all_of(first.listed, shards.size(), ".tar")};
}

std::string listed_beside(const ShardToIndex& shard, std::string_view inner) {
  return shard.listed.substr(0, shard.listed.size() - shard.name.size()) + std::string(inner);
}

LoaderForm nemo_form() {
  return {.name = "nemo",
          .help = "nemo/: the dataset as an input_cfg, and buckets of equal audio for train_ds",
          .folder = kNemoFolder,
          .sign = kNemoBuckets,
          .placed = {kNemoInput},
          .owns = [](std::string_view file) { return manifest::is_below(file, kNemoFolder); },
          .files =
              [](const auto&, const auto&) {
                return std::vector{std::string(kNemoInput), std::string(kNemoBuckets)};
              },
          .write = write_nemo,
          .placed_text = [](const std::vector<ShardToIndex>& shards, base::Reporter&,
                            const UsePlacedText& use) { use(0, nemo_input(shards)); }};
}

}  // namespace shardmill::dataset
