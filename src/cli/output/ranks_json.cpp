#include <cmath>

#include "base/text/json_writer.hpp"
#include "cli/output/reports.hpp"

namespace shardmill::cli {

using base::JsonWriter;
using ranks::LoaderReport;
using ranks::LoaderSupply;
using ranks::RanksSummary;
using ranks::WorldReport;

namespace {

/// The speeds on which the verdicts about starving ranks are based.
std::string_view basis(const LoaderSupply& supply) {
  if (supply.measured) return "decoding alone";
  return supply.recorded.empty() ? "as given" : "as recorded";
}

void write_load(JsonWriter& json, const deal::Load& load) {
  json.member("shards", load.shards).member("samples", load.samples);
  json.member("seconds", load.seconds).member("bytes", load.bytes);
}

void write_pace(JsonWriter& json, const deal::RankPace& pace) {
  json.member("starves", pace.starves()).member("delivered", pace.delivered);
  json.member("train_seconds", pace.train_seconds).member("load_seconds", pace.load_seconds);
  json.member("busy_share", pace.busy_share);
}

void write_split(JsonWriter& json, const deal::SplitLoad& split, const std::vector<deal::RankPace>& pace,
                 const RanksSummary& summary) {
  const ranks::RankShards& shards = summary.shards;
  if (summary.supply) json.member("supply_basis", basis(*summary.supply));
  json.member("idle_share", split.worst_idle_share()).member("idlest_rank", split.idlest());
  json.member("ranks_without_data", split.ranks_without_data());
  json.member("workers_without_data", split.workers_without_data());
  json.key("never_read").begin_array();
  for (const std::size_t number : split.unread) json.value(shards.shards[number].path);
  json.end_array().key("ranks").begin_array();
  for (std::size_t rank = 0; rank < split.ranks.size(); ++rank) {
    json.begin_object().member("rank", rank);
    write_load(json, split.ranks[rank].total);
    json.member("idle_share", split.ranks[rank].idle_share);
    if (!pace.empty()) write_pace(json, pace[rank]);
    json.key("workers").begin_array();
    for (const deal::Load& worker : split.ranks[rank].workers) {
      json.begin_object();
      write_load(json, worker);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_epochs(JsonWriter& json, const ranks::StepsOfEpochs& counted) {
  json.member("fewest", counted.fewest()).member("most", counted.most());
  json.member("uneven_epochs", counted.uneven()).member("padding_share", counted.mean_padding());
  json.member("idle_share", counted.mean_idle());
}

void write_steps(JsonWriter& json, deal::Loader loader, const ranks::StepsReport& steps) {
  json.key("steps").begin_object();
  write_epochs(json, steps.counted);
  if (deal::repeats_first_order(loader)) {
    const deal::EpochSteps& first = steps.counted.epochs.front();
    json.key("without_persistent_workers").begin_object();
    json.member("fewest", first.fewest()).member("most", first.most()).end_object();
  }
  json.key("epochs").begin_array();
  for (const deal::EpochSteps& epoch : steps.counted.epochs) {
    json.begin_object().key("steps").begin_array();
    for (const std::uint64_t of_rank : epoch.steps) json.value(of_rank);
    json.end_array().member("padding_share", epoch.padding).member("idle_share", epoch.idle).end_object();
  }
  json.end_array();
  if (const auto& other = steps.static_batches) {
    json.key("static_batches").begin_object().member("samples", other->samples);
    write_epochs(json, other->counted);
    json.end_object();
  }
  if (steps.if_even) json.member("steps_if_even", *steps.if_even);
  json.end_object();
}

void write_batching(JsonWriter& json, const deal::Batching& batching) {
  using By = deal::Batching::By;
  json.key("batching").begin_object();
  if (batching.by == By::buckets) {
    json.key("buckets").begin_array();
    for (std::size_t i = 0; i < batching.sizes.size(); ++i) {
      json.begin_object().member("samples", batching.sizes[i]);
      if (i < batching.bins.size()) json.member("below_frames", batching.bins[i]);
      json.end_object();
    }
    json.end_array();
  } else {
    json.member(batching.by == By::samples  ? "samples"
                : batching.by == By::frames ? "frames"
                                            : "seconds",
                batching.most);
  }
  if (batching.shuffle_buffer) json.member("shuffle_buffer", *batching.shuffle_buffer);
  json.member("sort_buffer", batching.sort_buffer).end_object();
}

void write_loader(JsonWriter& json, const LoaderReport& loader, const RanksSummary& summary) {
  json.begin_object().member("loader", name(loader.loader)).key("worst_epoch");
  if (loader.epoch) {
    json.value(*loader.epoch);
  } else {
    json.null();
  }
  write_split(json, loader.load, loader.pace, summary);
  if (loader.steps) write_steps(json, loader.loader, *loader.steps);
  json.end_object();
}

void write_world(JsonWriter& json, const WorldReport& world, const RanksSummary& summary) {
  json.begin_object().member("world_size", world.team.world_size).member("workers", world.team.workers);
  json.key("loaders").begin_array();
  for (const LoaderReport& loader : world.loaders) write_loader(json, loader, summary);
  json.end_array().key("lists").begin_object();
  write_split(json, world.plan, world.plan_pace, summary);
  json.end_object().end_object();
}

void write_supply(JsonWriter& json, const LoaderSupply& supply) {
  json.key("supply").begin_object().member("needed", supply.needed).member("measured", supply.measured);
  json.member("basis", basis(supply));
  if (!supply.recorded.empty()) json.member("recorded", supply.recorded);
  if (supply.measured) {
    json.member("audio_decoding", supply.audio_speed).key("python_assumed").begin_object();
    json.member("seconds_per_sample", ranks::PythonCost::kSecondsPerSample);
    json.member("seconds_per_tar_byte", ranks::PythonCost::kSecondsPerTarByte).end_object();
  }
  json.key("codecs").begin_array();
  for (const LoaderSupply::Way& way : supply.ways) {
    json.begin_object().member("codec", way.codec).member("used", way.is_used);
    if (supply.measured) json.member("decoder_speed", way.decoder_speed);
    json.member("worker_speed", way.worker_speed).member("workers_needed", way.workers).end_object();
  }
  json.end_array().end_object();
}

void write_token_bins(JsonWriter& json, const RanksSummary& summary) {
  json.key("bucket_duration_bins").begin_array();
  for (const deal::TokenBin& bin : summary.token_bins) {
    const double seconds = std::round(static_cast<double>(bin.seconds) * 1000) / 1000;
    json.begin_array().value(seconds).value(bin.tokens).end_array();
  }
  json.end_array().key("max_tps").begin_array();
  for (const deal::TokenBin& bin : summary.token_bins) json.value(bin.tokens_per_second);
  json.end_array();
}

void write_buckets(JsonWriter& json, const RanksSummary& summary) {
  if (!summary.token_bins.empty()) {
    write_token_bins(json, summary);
    return;
  }
  json.key("bucket_duration_bins").begin_array();
  for (const double bin : summary.duration_bins) json.value(bin);
  json.end_array().key("buckets").begin_array();
  for (const deal::BucketShare& share : summary.bucket_shares)
    json.begin_object().member("audio_share", share.audio).member("sample_share", share.samples).end_object();
  json.end_array();
}

}  // namespace

std::string ranks_as_json(const RanksSummary& summary, const ranks::RanksOptions& options) {
  std::string text;
  JsonWriter json(text, JsonWriter::Layout::indented);
  json.begin_object().member("kind", summary.shards.is_dataset ? "dataset" : "shards");
  write_load(json, summary.total);
  json.member("epochs", options.epochs).member("seed", options.seed);
  if (options.buckets > 0) write_buckets(json, summary);
  if (summary.batching) write_batching(json, *summary.batching);
  if (summary.supply) write_supply(json, *summary.supply);
  json.key("world_sizes").begin_array();
  for (const WorldReport& world : summary.worlds) write_world(json, world, summary);
  json.end_array().key("even_world_sizes").begin_array();
  for (const std::size_t size : summary.even_world_sizes) json.value(size);
  json.end_array().member("multiple_of", summary.multiple_of);
  json.member("out", summary.out_folder).end_object();
  return text;
}

}  // namespace shardmill::cli
