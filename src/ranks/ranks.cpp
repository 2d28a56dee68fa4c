#include "ranks/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/remote/url.hpp"
#include "base/text/json_reader.hpp"
#include "dataset/hold.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "deal/bins.hpp"
#include "manifest/layout.hpp"

namespace shardmill::ranks {

namespace {

template <typename Value, typename Read>
std::vector<Value> of_all_samples(const std::string& folder, std::size_t shards, pipeline::Workers& workers,
                                  base::Reporter& reporter, const Read& read) {
  std::vector<std::vector<Value>> of_shards(shards);
  workers.for_each(shards, [&](std::size_t i) {
    reporter.check_stop();
    base::LineReader lines(base::inside(folder, manifest::manifest_path(i)));
    base::JsonParser parser;
    for (std::string_view line; lines.next(line);) {
      try {
        of_shards[i].push_back(read(parser.parse(line)));
      } catch (const Error& error) {
        throw lines.here(error);
      }
    }
  });
  std::vector<Value> all;
  for (const std::vector<Value>& values : of_shards) all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// Counted like Python's len().
std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t tokens_in(const base::JsonValue& sample, const std::string& field) {
  if (field.empty()) {
    const auto text = sample.find("text");
    return text && !text->is_null() ? characters_in(text->text()) : 0;
  }
  const base::JsonValue tokens = sample[field];
  return tokens.is_array() ? tokens.elements().size() : tokens.unsigned_integer();
}

}  // namespace

std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter) {
  return of_all_samples<double>(dataset_folder, shards, workers, reporter,
                                [](const base::JsonValue& sample) { return sample["duration"].number(); });
}

std::vector<deal::TokenLength> sample_tokens(const std::string& dataset_folder, std::size_t shards,
                                             const std::string& token_field, pipeline::Workers& workers,
                                             base::Reporter& reporter) {
  constexpr std::size_t kMostTokens = std::numeric_limits<std::int32_t>::max();
  const auto lengths = of_all_samples<deal::TokenLength>(
      dataset_folder, shards, workers, reporter, [&](const base::JsonValue& sample) {
        const std::size_t tokens = tokens_in(sample, token_field);
        if (tokens > kMostTokens) throw Error("has more tokens than NeMo can count");
        return deal::TokenLength{.seconds = static_cast<float>(sample["duration"].number()),
                                 .tokens = static_cast<std::int32_t>(tokens)};
      });
  if (std::all_of(lengths.begin(), lengths.end(), [](const auto& length) { return length.tokens == 0; }))
    throw Error("has no texts in its manifests to count",
                at(base::inside(dataset_folder, manifest::kManifestFolder)),
                "bins by tokens are for a dataset with transcripts in its manifests");
  return lengths;
}

namespace {

std::string folder_for(const RanksOptions& options, const RanksSummary& summary) {
  if (!options.out_folder.empty()) return options.out_folder;
  if (!summary.shards.is_dataset || base::is_remote(options.targets.front())) return {};
  return base::inside(options.targets.front(), manifest::kRankFolder);
}

/// Adds the lengths of the samples, from which batches are made.
void add_lengths(const RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
                 RanksSummary& summary) {
  if (!options.batching) return;
  if (!summary.shards.is_dataset)
    throw UsageError("steps are counted from the manifests, which these shards do not have",
                     at(options.targets.front()), "shardmill repack writes them");
  reporter.phase("counting steps");
  summary.lengths = sample_lengths(options.targets.front(), summary.shards.shards.size(), workers, reporter);
}

void add_bins(const RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter,
              RanksSummary& summary) {
  if (options.buckets == 0) return;
  if (!summary.shards.is_dataset)
    throw UsageError("duration bins come from the manifests, which these shards do not have",
                     at(options.targets.front()), "shardmill repack writes them");
  const std::string& folder = options.targets.front();
  const std::size_t shards = summary.shards.shards.size();
  const auto check_count = [&](std::size_t samples) {
    if (options.buckets > samples)
      throw UsageError(
          fmt::format("{} buckets are more than there are samples: {}", options.buckets, samples),
          at(folder));
  };
  if (options.sub_buckets != 0) {
    auto lengths = sample_tokens(folder, shards, options.token_field, workers, reporter);
    check_count(lengths.size());
    summary.token_bins = deal::token_bins(std::move(lengths), options.buckets, options.sub_buckets);
    return;
  }
  const std::vector<double> seconds =
      options.batching ? seconds_of(summary.lengths) : sample_seconds(folder, shards, workers, reporter);
  check_count(seconds.size());
  summary.duration_bins = deal::duration_bins(seconds, options.buckets);
  summary.bucket_shares = deal::bucket_shares(seconds, summary.duration_bins);
}

/// Locks the dataset against changes, if there is one.
std::optional<dataset::DatasetHold> hold_dataset(const RanksOptions& options, base::Reporter& reporter) {
  if (options.targets.size() != 1 || !is_dataset(options.targets.front())) return std::nullopt;
  const std::string& folder = options.targets.front();
  dataset::check_is_finished(folder);
  const bool writes_into_it = options.out_folder.empty() && !options.dry_run && !base::is_remote(folder);
  return writes_into_it ? dataset::DatasetHold::to_write(folder, options.command, reporter)
                        : dataset::DatasetHold::to_read(folder);
}

void write_lists(const RanksOptions& options, const std::optional<dataset::DatasetHold>& hold,
                 RanksSummary& summary) {
  const std::string folder = folder_for(options, summary);
  if (folder.empty()) return;
  const dataset::RankFiles files = rank_files_of(summary);
  dataset::check_rank_folder(folder, files);
  if (hold) hold->check_same();
  if (options.dry_run) return;
  dataset::write_rank_files(folder, files);
  summary.out_folder = folder;
}

}  // namespace

RanksSummary foretell(const RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  RanksSummary summary;
  summary.shards = find_rank_shards(options.targets, options.list_root, workers, reporter);
  summary.total = deal::sum(summary.shards.loads);
  check_world_sizes(options, summary.shards.loads.size());
  add_lengths(options, workers, reporter, summary);
  add_bins(options, workers, reporter, summary);
  if (options.batching) {
    summary.batching = options.batching;
    if (options.batching->by == deal::Batching::By::duration) summary.batching->bins = summary.duration_bins;
  }
  if (options.needed) {
    summary.supply =
        options.recorded_speeds ? recorded_supply(summary.shards, *options.needed, *options.recorded_speeds)
        : options.worker_speed  ? given_supply(summary.shards, *options.needed, *options.worker_speed)
                                : measured_supply(summary.shards, *options.needed, workers, reporter);
  }
  summary.worlds = world_reports(options, summary, workers, reporter);
  summary.even_world_sizes = even_world_sizes(summary.shards.loads.size(), options.workers);
  summary.multiple_of = common_multiple(options);
  return summary;
}

RanksSummary run_ranks(const RanksOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  const std::optional<dataset::DatasetHold> hold = hold_dataset(options, reporter);
  RanksSummary summary = foretell(options, workers, reporter);
  write_lists(options, hold, summary);
  return summary;
}

}  // namespace shardmill::ranks
