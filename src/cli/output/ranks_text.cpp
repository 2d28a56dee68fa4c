#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"

namespace shardmill::cli {

using ranks::LoaderReport;
using ranks::LoaderSupply;
using ranks::RanksOptions;
using ranks::RanksSummary;
using ranks::WorldReport;
using Row = TextRow;

namespace {

constexpr std::size_t kMostBars = 32;  // with more ranks, a histogram is shown
constexpr double kRankBarWidth = 40;
constexpr double kEvenShare = 1e-5;    // the difference that balanced shards may have
constexpr double kUnevenShare = 1e-3;  // of an epoch: a difference worth mentioning
constexpr std::string_view kIndent = "    ";
constexpr std::string_view kStepsNote =
    "Equal audio does not mean equal steps: with a fixed number of samples in a batch, ranks may differ by "
    "a\n"
    "step or so; with a fixed duration, by more. Let DDP join them, or end each epoch after the same number\n"
    "of steps. --batch, --batch-frames or --batch-duration count the steps.\n";

/// "400x".
std::string speed(double times_real_time) {
  if (times_real_time < 9.95) return fmt::format("{:.1f}x", times_real_time);
  return base::format_count(static_cast<std::uint64_t>(times_real_time + 0.5)) + "x";
}

std::string range(double least, double most) {
  const std::string from = base::format_audio(least);
  const std::string to = base::format_audio(most);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string audio_range(const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return range(*least, *most);
}

std::vector<double> rank_seconds(const deal::SplitLoad& split) {
  std::vector<double> seconds;
  for (const deal::RankLoad& rank : split.ranks) seconds.push_back(rank.total.seconds);
  return seconds;
}

std::vector<double> worker_seconds(const deal::SplitLoad& split) {
  std::vector<double> seconds;
  for (const deal::RankLoad& rank : split.ranks) {
    for (const deal::Load& worker : rank.workers) seconds.push_back(worker.seconds);
  }
  return seconds;
}

std::string head_text(const RanksSummary& summary, const RanksOptions& options) {
  std::string names;
  for (const std::string& target : options.targets) names += (names.empty() ? "" : ", ") + printable(target);
  const auto& loads = summary.shards.loads;
  const auto [least, most] = std::minmax_element(
      loads.begin(), loads.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return fmt::format("{}: {} of {} each, {}, {}, {}\n", names, base::format_count(loads.size(), "shard"),
                     range(least->seconds, most->seconds),
                     base::format_count(summary.total.samples, "sample"),
                     base::format_audio(summary.total.seconds), base::format_size(summary.total.bytes));
}

/// The parts of a loader that the speeds include, and those that they do not.
std::string decoding_alone_text(const LoaderSupply& supply) {
  std::string audio;
  if (supply.audio_speed > 0) audio = fmt::format(" and audio ({})", speed(supply.audio_speed));
  return fmt::format(
      "  Decoding alone: decompression{}, as measured here, and Python's tarfile and\n"
      "  soundfile, which are assumed to take {:.2f} ms a sample and {:.2f} s a GB. Features, augmentation\n"
      "  and slow disks are not included and may take far longer: a worker with 80-bin fbank delivered "
      "480x.\n"
      "  docs/loaders/README.md shows how to measure your own loader; give the figure as --supply 480x.\n",
      audio, 1e3 * ranks::PythonCost::kSecondsPerSample, 1e9 * ranks::PythonCost::kSecondsPerTarByte);
}

std::string supply_text(const LoaderSupply& supply) {
  std::string text =
      fmt::format("\nthe trainer of a rank consumes {}: {} of audio a second; one loader worker delivers{}\n",
                  speed(supply.needed), base::format_audio(supply.needed),
                  supply.measured           ? ", decoding alone"
                  : supply.recorded.empty() ? ""
                                            : ", as recorded for " + supply.recorded);
  std::vector<Row> rows;
  for (const LoaderSupply::Way& way : supply.ways) {
    if (way.workers == 0) continue;
    rows.push_back({way.codec, speed(way.worker_speed),
                    fmt::format("{} a rank", base::format_count(way.workers, "worker")),
                    supply.measured ? fmt::format("({} without Python)", speed(way.decoder_speed)) : "",
                    way.is_used && (supply.measured || !supply.recorded.empty()) ? "these shards" : ""});
  }
  if (!rows.empty()) text += text_table(rows);
  return supply.measured ? text + decoding_alone_text(supply) : text;
}

/// Shards that are not read, and ranks and workers without data.
std::string remarks(const deal::SplitLoad& split, const std::vector<deal::Load>& shards,
                    bool must_have_data) {
  std::string text;
  const auto add = [&text](const std::string& remark) { text += (text.empty() ? "" : ", ") + remark; };
  if (!split.unread.empty()) {
    deal::Load unread;
    for (const std::size_t number : split.unread) unread += shards[number];
    add(fmt::format("{} never read: {}", base::format_count(unread.shards, "shard"),
                    base::format_audio(unread.seconds)));
  }
  if (const auto ranks = split.ranks_without_data(); ranks != 0)
    add(base::format_count(ranks, "rank") + " without data");
  if (const auto workers = split.workers_without_data(); workers != 0)
    add(base::format_count(workers, "worker") + " without data" +
        (must_have_data ? " stop with an error" : ""));
  return text;
}

std::string starving_text(const std::vector<deal::RankPace>& pace) {
  const auto count = std::count_if(pace.begin(), pace.end(), [](const auto& rank) { return rank.starves(); });
  return count == 0 ? "none" : fmt::format("{} of {}", count, pace.size());
}

std::string busy_text(const std::vector<deal::RankPace>& pace) {
  const auto least = std::min_element(
      pace.begin(), pace.end(), [](const auto& a, const auto& b) { return a.busy_share < b.busy_share; });
  return fmt::format("{:.0f}%, rank {}", 100 * least->busy_share, least - pace.begin());
}

Row row_of(const std::string& title, const std::string& epoch, const deal::SplitLoad& split,
           const std::vector<deal::RankPace>& pace, const std::string& counted) {
  Row row{title, audio_range(rank_seconds(split))};
  if (split.ranks.front().workers.size() > 1) row.push_back(audio_range(worker_seconds(split)));
  row.push_back(fmt::format("{}, rank {}", percent(split.worst_idle_share()), split.idlest()));
  row.push_back(epoch);
  if (!pace.empty()) row.insert(row.end(), {starving_text(pace), busy_text(pace), counted});
  return row;
}

std::string epoch_text(const LoaderReport& loader, const RanksOptions& options) {
  if (loader.epoch) return fmt::format("epoch {} of {}", *loader.epoch, options.epochs);
  return options.epochs == 0 ? "unshuffled" : "every epoch";
}

/// The loader whose ranks wait longest.
const LoaderReport& worst_loader(const WorldReport& world) {
  return *std::max_element(world.loaders.begin(), world.loaders.end(), [](const auto& a, const auto& b) {
    return a.load.worst_idle_share() < b.load.worst_idle_share();
  });
}

std::string pace_text(const deal::RankPace& pace, double needed) {
  std::string text = fmt::format(", GPU busy {:.0f}%", 100 * pace.busy_share);
  if (pace.starves()) text += fmt::format(", starves: {} of {}", speed(pace.delivered), speed(needed));
  return text;
}

std::string bars_text(const LoaderReport& loader, double needed, Glyphs glyphs) {
  double most = 0;
  for (const deal::RankLoad& rank : loader.load.ranks) most = std::max(most, rank.total.seconds);
  std::string text;
  for (std::size_t i = 0; i < loader.load.ranks.size(); ++i) {
    const deal::RankLoad& rank = loader.load.ranks[i];
    const double length = most > 0 ? kRankBarWidth * (rank.total.seconds / most) : 0;
    text +=
        fmt::format("{}rank {:<3} {}{}{}, {}, {}", kIndent, i, bar(length, glyphs), length > 0 ? " " : "",
                    base::format_audio(rank.total.seconds), base::format_count(rank.total.samples, "sample"),
                    base::format_size(rank.total.bytes));
    if (!loader.pace.empty()) {
      text += pace_text(loader.pace[i], needed);
    } else if (rank.idle_share >= kUnevenShare) {
      text += fmt::format(", waits {} of the epoch", percent(rank.idle_share));
    }
    text += "\n";
  }
  return text;
}

std::string picture_text(const WorldReport& world, const RanksSummary& summary, const RanksOptions& options,
                         Glyphs glyphs) {
  const LoaderReport& loader = worst_loader(world);
  // With several world sizes, charts are shown only for those where some rank waits.
  if (summary.worlds.size() > 1 && loader.load.worst_idle_share() < kUnevenShare) return {};
  const std::string title =
      fmt::format("  audio of each rank, {}, {}\n", name(loader.loader), epoch_text(loader, options));
  if (world.team.world_size <= kMostBars)
    return title + bars_text(loader, summary.supply ? summary.supply->needed : 0, glyphs);
  return title + bar_chart(rank_seconds(loader.load), Quantity::seconds, kIndent, glyphs);
}

/// Collects remarks about several rows, and shows each remark once.
class RemarkList {
 public:
  void add(const std::string& title, const std::string& remark) {
    if (remark.empty()) return;
    const auto same = [&](const auto& entry) { return entry.second == remark; };
    const auto found = std::find_if(entries_.begin(), entries_.end(), same);
    if (found == entries_.end()) {
      entries_.emplace_back(title, remark);
    } else {
      found->first += ", " + title;
    }
  }

  std::string text() const {
    std::string text;
    for (const auto& [titles, remark] : entries_) text += fmt::format("  {}: {}\n", titles, remark);
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;  // the rows, and the remark about them
};

std::string world_text(const WorldReport& world, const RanksSummary& summary, const RanksOptions& options,
                       Glyphs glyphs) {
  const std::string counted = !summary.supply                     ? ""
                              : summary.supply->measured          ? "decoding alone"
                              : !summary.supply->recorded.empty() ? "supply as recorded"
                                                                  : "supply as given";
  Row head{"loader", "audio of a rank"};
  if (world.team.workers > 1) head.emplace_back("audio of a worker");
  head.insert(head.end(), {"longest wait", "worst in"});
  if (summary.supply) head.insert(head.end(), {"starving ranks", "least busy GPU", "counted"});
  std::vector<Row> rows{head};
  RemarkList list;
  for (const LoaderReport& loader : world.loaders) {
    const std::string title(name(loader.loader));
    const bool must_have_data = loader.loader == deal::Loader::webdataset;  // because of its check_empty()
    rows.push_back(row_of(title, epoch_text(loader, options), loader.load, loader.pace, counted));
    list.add(title, remarks(loader.load, summary.shards.loads, must_have_data));
  }
  rows.push_back(row_of("even lists", "", world.plan, world.plan_pace, counted));
  list.add("even lists", remarks(world.plan, summary.shards.loads, false));
  return fmt::format("\nworld size {}, {} for each rank\n", world.team.world_size,
                     base::format_count(world.team.workers, "loader worker")) +
         text_table(rows) + list.text() + picture_text(world, summary, options, glyphs) +
         steps_text(world, summary, options);
}

std::string lists_text(const RanksSummary& summary, const RanksOptions& options) {
  if (summary.out_folder.empty()) {
    if (options.dry_run || summary.shards.is_dataset) return {};
    return "--out DIR writes even lists, one file for each rank.\n";
  }
  return fmt::format(
      "Even lists, one file for each rank: {0}/world-*/rank-*.list, described by {0}/plan.json\n",
      printable(summary.out_folder));
}

double worst_wait(const RanksSummary& summary) {
  double worst = 0;
  for (const WorldReport& world : summary.worlds) {
    worst = std::max(worst, worst_loader(world).load.worst_idle_share());
  }
  return worst;
}

bool starves(const WorldReport& world) {
  return std::any_of(world.loaders.begin(), world.loaders.end(), [](const LoaderReport& loader) {
    return std::any_of(loader.pace.begin(), loader.pace.end(),
                       [](const auto& rank) { return rank.starves(); });
  });
}

std::string starving_advice(const RanksSummary& summary, const RanksOptions& options) {
  if (!summary.supply) return {};
  const bool measured = summary.supply->measured;
  if (std::none_of(summary.worlds.begin(), summary.worlds.end(), starves)) {
    if (!measured) return {};
    return "No rank starves by decoding alone. To be sure, measure your own loader and give its speed with "
           "--supply.\n";
  }
  std::string text =
      measured ? "Ranks starve by decoding alone: loader workers deliver less than the trainer consumes."
               : "Ranks starve: their loader workers deliver less than the trainer consumes.";
  std::string ways;
  for (const LoaderSupply::Way& way : summary.supply->ways) {
    if (way.workers == 0 || way.workers > options.workers) continue;
    ways += fmt::format("{}{}", ways.empty() ? "" : ", ", way.codec);
  }
  if (!ways.empty() && measured) {
    text += fmt::format("\nWith {} for each rank, decoding keeps up if shards are even and written as: {}.",
                        base::format_count(options.workers, "worker"), ways);
  }
  return text + "\n";
}

std::string_view steps_note(const RanksSummary& summary) {
  return summary.batching ? std::string_view() : kStepsNote;
}

std::string dividing_text(const RanksSummary& summary, const RanksOptions& options) {
  const std::size_t shards = summary.shards.loads.size();
  const std::string with = options.workers == 1 ? "" : fmt::format(", with {} workers each", options.workers);
  const std::string sizes =
      summary.even_world_sizes.empty()
          ? "no world size"
          : fmt::format("world size{} {}", summary.even_world_sizes.size() == 1 ? "" : "s",
                        fmt::join(summary.even_world_sizes, ", "));
  std::string text = fmt::format("{} {} into {}{}.\n", base::format_count(shards, "shard"),
                                 shards == 1 ? "divides" : "divide", sizes, with);
  const double wait = worst_wait(summary);
  const bool divides = summary.multiple_of != 0 && shards % summary.multiple_of == 0;
  if (divides && wait <= kEvenShare) {
    text += "Every rank gets the same audio, with every loader and shuffle.\n";
    return text.append(steps_note(summary));
  }
  if (divides && summary.shards.is_dataset) {
    text += fmt::format("With every loader and shuffle, each rank waits for at most {} of an epoch.\n",
                        percent(wait));
    return text.append(steps_note(summary));
  }
  if (summary.multiple_of != 0 && (!divides || wait >= kUnevenShare)) {
    text += fmt::format(
        "shardmill repack --multiple-of {} makes equal shards: every rank then gets the same audio.\n",
        summary.multiple_of);
  }
  return text;
}

/// As NeMo's estimate_duration_bins_2d.py writes them.
std::string token_bins_text(const RanksSummary& summary, const RanksOptions& options) {
  std::string bins;
  std::string rates;
  for (const deal::TokenBin& bin : summary.token_bins) {
    const std::string_view comma = bins.empty() ? "" : ",";
    bins += fmt::format("{}[{:.3f},{}]", comma, bin.seconds, bin.tokens);
    rates += fmt::format("{}{:.2f}", comma, bin.tokens_per_second);
  }
  return fmt::format(
      "\nuse_bucketing=1\nnum_buckets={}\nbucket_duration_bins=[{}]\nmax_tps=[{}]\n"
      "Each bin is the duration and the number of {} that it takes. max_tps is optional: it leaves out\n"
      "samples with far more of them a second than others.\n",
      options.buckets, bins, rates, options.token_field.empty() ? "characters" : "tokens");
}

std::string buckets_text(const RanksSummary& summary, const RanksOptions& options) {
  if (!summary.token_bins.empty()) return token_bins_text(summary, options);
  if (summary.bucket_shares.empty()) return {};
  std::string bins;
  for (const double bin : summary.duration_bins) bins += (bins.empty() ? "" : ",") + deal::bin_text(bin);
  const auto [least, most] =
      std::minmax_element(summary.bucket_shares.begin(), summary.bucket_shares.end(),
                          [](const auto& a, const auto& b) { return a.audio < b.audio; });
  return fmt::format(
      "\nnum_buckets={}\nbucket_duration_bins=[{}]\nEach bucket holds {} to {} of the audio.\n",
      summary.bucket_shares.size(), bins, percent(least->audio), percent(most->audio));
}

}  // namespace

std::string ranks_as_text(const RanksSummary& summary, const RanksOptions& options, Glyphs glyphs) {
  std::string text = head_text(summary, options);
  if (summary.supply) text += supply_text(*summary.supply);
  for (const WorldReport& world : summary.worlds) text += world_text(world, summary, options, glyphs);
  text += buckets_text(summary, options);
  return text + "\n" + lists_text(summary, options) + starving_advice(summary, options) +
         dividing_text(summary, options);
}

}  // namespace shardmill::cli
