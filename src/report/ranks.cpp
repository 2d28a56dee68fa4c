#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/units.hpp"
#include "deal/bins.hpp"
#include "page/chart.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

using World = manifest::RankPlanRecord::World;

constexpr std::size_t kMostCharts = 8;
constexpr std::size_t kMostRankColumns = 128;
constexpr std::size_t kMostRankRows = 50;
constexpr std::size_t kMostDivisors = 24;

std::vector<double> rank_seconds(const World& world) {
  std::vector<double> seconds;
  for (const manifest::RankPlanRecord::Rank& rank : world.ranks) seconds.push_back(rank.seconds);
  return seconds;
}

page::Chart rank_chart(const World& world) {
  const std::vector<double> seconds = rank_seconds(world);
  const page::Extent all = page::extent_of(seconds);
  const TimeUnit unit = time_unit(all.highest);
  page::Chart chart{.about = fmt::format("Audio of each of {} ranks", world.world_size),
                    .y_title = fmt::format("{} of audio per rank", unit.name),
                    .x_title = fmt::format("rank of {}", world.world_size),
                    .y = page::axis_for(0, all.highest / unit.seconds, 4),
                    .columns = {},
                    .ticks = {},
                    .level = page::Level{.value = all.mean / unit.seconds,
                                         .label = "\u2013 \u2013 mean: " + base::format_audio(all.mean)},
                    .width = 472,
                    .height = 170};
  for (const page::Run& run : page::runs_of(seconds.size(), kMostRankColumns)) {
    const page::Extent extent = page::extent_of(std::span(seconds).subspan(run.begin, run.size()));
    std::string title = format_range("rank", run.begin, run.end) + ": " + exact_seconds(extent.lowest);
    if (run.size() > 1) title += " to " + exact_seconds(extent.highest);
    chart.columns.push_back(
        {.title = std::move(title),
         .segments = {{0, extent.lowest / unit.seconds, "bar"},
                      {extent.lowest / unit.seconds, extent.highest / unit.seconds, "bar soft"}}});
    if (extent.lowest == extent.highest) chart.columns.back().segments.pop_back();
  }
  chart.ticks = page::number_ticks(seconds.size(), chart.columns.size(), 8);
  return chart;
}

Row world_row(const World& world) {
  const auto [fewest, most] =
      std::minmax_element(world.ranks.begin(), world.ranks.end(),
                          [](const auto& a, const auto& b) { return a.shards < b.shards; });
  const page::Extent extent = page::extent_of(rank_seconds(world));
  const std::string shards = fewest->shards == most->shards
                                 ? base::format_count(most->shards)
                                 : fmt::format("{} to {}", fewest->shards, most->shards);
  return {base::format_count(world.world_size), shards, base::format_audio(extent.mean),
          format_spread(extent.highest - extent.lowest), format_percent(world.idle_share)};
}

/// The numbers of readers among which the shards divide evenly.
std::string divisor_text(std::uint64_t shards) {
  std::string text;
  std::size_t found = 0;
  for (std::uint64_t readers = 1; readers <= shards; ++readers) {
    if (shards % readers != 0) continue;
    if (++found > kMostDivisors) return text + " \u2026";
    text += (text.empty() ? "" : ", ") + base::format_count(readers);
  }
  return text;
}

void add_plan(page::MarkupWriter& html, const manifest::RankPlanRecord& plan) {
  html.open("div", {{"class", "pairs"}});
  for (std::size_t i = 0; i < std::min(plan.worlds.size(), kMostCharts); ++i) {
    if (plan.worlds[i].ranks.size() > 1) draw(html, rank_chart(plan.worlds[i]));
  }
  html.close();
  std::vector<Row> rows;
  for (const World& world : plan.worlds) {
    if (!world.ranks.empty() && rows.size() < kMostRankRows) rows.push_back(world_row(world));
  }
  add_table(html,
            {{"ranks", true},
             {"shards a rank", true},
             {"audio a rank", true},
             {"spread", true},
             {"audio that one lacks", true}},
            rows);
}

}  // namespace

void add_ranks(page::MarkupWriter& html, const ReportFacts& facts) {
  const std::uint64_t shards = facts.records.dataset->shards;
  const std::string divisors =
      shards == 1 ? std::string("One shard is for one reader alone (ranks \u00d7 loader workers).")
                  : fmt::format("{} divide evenly among {} readers (ranks \u00d7 loader workers).",
                                base::format_count(shards, "shard"), divisor_text(shards));
  html.open("section");
  if (!facts.plan || facts.plan->worlds.empty()) {
    add_heading(html, "ranks", "Training ranks", divisors);
    html.open("p", {{"class", "note"}}).text("For bars per rank here, plan the world sizes first: ");
    html.element("code", "shardmill ranks DIR --world-size 8").text(".").close();
  } else {
    const World& worst =
        *std::max_element(facts.plan->worlds.begin(), facts.plan->worlds.end(),
                          [](const World& a, const World& b) { return a.idle_share < b.idle_share; });
    add_heading(
        html, "ranks", "Training ranks",
        fmt::format(
            "With the lists in ranks/, no rank has less audio than another by more than {} of an epoch "
            "({}). Steps are not counted, and loaders are taken to keep up. {}",
            format_percent(worst.idle_share), base::format_count(worst.world_size, "rank"), divisors));
    add_plan(html, *facts.plan);
  }
  html.close();
}

namespace {

using Epoch = TrainingFacts::Epoch;

constexpr std::size_t kMostStepCharts = 12;

std::uint64_t most_steps(const std::vector<Epoch>& epochs) {
  return std::ranges::max(epochs, {}, &Epoch::most).most;
}

std::uint64_t fewest_steps(const std::vector<Epoch>& epochs) {
  return std::ranges::min(epochs, {}, &Epoch::fewest).fewest;
}

std::uint64_t widest(const std::vector<Epoch>& epochs) {
  std::uint64_t widest = 0;
  for (const Epoch& epoch : epochs) widest = std::max(widest, epoch.most - epoch.fewest);
  return widest;
}

double mean_of(const std::vector<Epoch>& epochs, double Epoch::*share) {
  double sum = 0;
  for (const Epoch& epoch : epochs) sum += epoch.*share;
  return sum / static_cast<double>(epochs.size());
}

std::string who(const TrainingFacts& training) {
  return fmt::format("{}, {}", training.loader, base::format_count(training.ranks, "rank"));
}

std::string range_of_steps(std::uint64_t fewest, std::uint64_t most) {
  if (fewest == most) return base::format_count(most, "step");
  return fmt::format("{} to {} steps", base::format_count(fewest), base::format_count(most));
}

/// `most`: of all charts, so that they can be compared.
page::Chart steps_chart(const TrainingFacts& training, std::uint64_t most) {
  page::Chart chart{.about = fmt::format("Steps of each epoch with {}", who(training)),
                    .y_title = "steps a rank, " + who(training),
                    .x_title = "epoch",
                    .y = page::axis_for(0, static_cast<double>(most), 4),
                    .columns = {},
                    .ticks = {},
                    .width = 472,
                    .height = 170};
  for (std::size_t i = 0; i < training.epochs.size(); ++i) {
    const Epoch& epoch = training.epochs[i];
    const auto fewest = static_cast<double>(epoch.fewest);
    chart.columns.push_back(
        {.title =
             fmt::format("epoch {}: {}, {} padding, {} waiting", i, range_of_steps(epoch.fewest, epoch.most),
                         format_percent(epoch.padding), format_percent(epoch.waiting)),
         .segments = {{0, fewest, "bar"}}});
    if (epoch.most != epoch.fewest)
      chart.columns.back().segments.push_back({fewest, static_cast<double>(epoch.most), "d0"});
  }
  chart.ticks = page::number_ticks(training.epochs.size(), chart.columns.size(), 10);
  return chart;
}

page::Chart padding_chart(const std::vector<TrainingFacts>& all) {
  page::Chart chart{.about = "Padding of the batches of each loader",
                    .y_title = "% of batches that is padding",
                    .x_title = "loader",
                    .columns = {},
                    .ticks = {},
                    .height = 170};
  double most = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double padding = 100 * mean_of(all[i].epochs, &Epoch::padding);
    most = std::max(most, padding);
    chart.columns.push_back(
        {.title = fmt::format("{}: {} padding", who(all[i]), format_percent(padding / 100)),
         .segments = {{0, padding, "bar"}}});
    chart.ticks.push_back({static_cast<double>(i) + 0.5, fmt::format("{} {}", all[i].loader, all[i].ranks)});
  }
  chart.y = page::axis_for(0, std::max(most, 1.0), 4);
  return chart;
}

Row training_row(const TrainingFacts& training) {
  return {training.loader,
          base::format_count(training.ranks),
          base::format_count(training.workers),
          range_of_steps(fewest_steps(training.epochs), most_steps(training.epochs)),
          base::format_count(widest(training.epochs)),
          format_percent(mean_of(training.epochs, &Epoch::padding)),
          format_percent(mean_of(training.epochs, &Epoch::waiting))};
}

std::string steps_conclusion(const ReportFacts& facts) {
  const auto uneven = std::ranges::max_element(
      facts.training, {}, [](const TrainingFacts& training) { return widest(training.epochs); });
  const std::uint64_t steps = widest(uneven->epochs);
  if (steps == 0) return fmt::format("In {}, all ranks take the same number of steps.", facts.batches);
  return fmt::format(
      "In {}, ranks end an epoch up to {} apart ({}): let them stop together, or training hangs there.",
      facts.batches, base::format_count(steps, "step"), who(*uneven));
}

void add_training(page::MarkupWriter& html, const ReportFacts& facts) {
  std::uint64_t most = 0;
  for (const TrainingFacts& training : facts.training) most = std::max(most, most_steps(training.epochs));
  html.open("div", {{"class", "pairs"}});
  for (std::size_t i = 0; i < std::min(facts.training.size(), kMostStepCharts); ++i)
    draw(html, steps_chart(facts.training[i], most));
  html.close();
  draw(html, padding_chart(facts.training));
  std::vector<Row> rows;
  for (const TrainingFacts& training : facts.training) rows.push_back(training_row(training));
  add_table(html,
            {{"loader", false},
             {"ranks", true},
             {"workers a rank", true},
             {"steps a rank", true},
             {"ranks differ by", true},
             {"padding", true},
             {"waiting", true}},
            rows);
}

std::string bucket_range(const std::vector<BucketFacts>& buckets, std::size_t bucket) {
  const double from = buckets[bucket].from_seconds;
  if (bucket + 1 == buckets.size()) return fmt::format("{:.2f} s or longer", from);
  return fmt::format("{:.2f} s to {:.2f} s", from, buckets[bucket + 1].from_seconds);
}

void add_buckets(page::MarkupWriter& html, const std::vector<BucketFacts>& buckets) {
  page::Chart chart{.about = "The share of each bucket in the samples",
                    .y_title = "% of the samples",
                    .x_title = "bucket of equal audio, from the shortest samples to the longest",
                    .columns = {},
                    .ticks = {},
                    .height = 170};
  double most = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const double percent = 100 * buckets[i].samples;
    most = std::max(most, percent);
    chart.columns.push_back(
        {.title =
             fmt::format("bucket {}, {}: {} of the samples, {} of the audio", i, bucket_range(buckets, i),
                         format_percent(buckets[i].samples), format_percent(buckets[i].audio)),
         .segments = {{0, percent, "bar"}}});
  }
  chart.y = page::axis_for(0, std::max(most, 1.0), 4);
  chart.ticks = page::number_ticks(buckets.size(), chart.columns.size(), 15);
  draw(html, chart);
  std::string bins;
  for (std::size_t i = 1; i < buckets.size(); ++i)
    bins += (i == 1 ? "" : ", ") + deal::bin_text(buckets[i].from_seconds);
  html.open("p", {{"class", "note"}}).text("For NeMo and Lhotse: ");
  html.element("code", fmt::format("bucket_duration_bins=[{}]", bins)).close();
}

}  // namespace

void add_steps(page::MarkupWriter& html, const ReportFacts& facts) {
  html.open("section");
  if (facts.training.empty() && facts.buckets.empty()) {
    add_heading(html, "steps", "Steps and padding", "Equal audio is not equal steps.");
    html.open("p", {{"class", "note"}}).text("For the steps of each rank here, say how batches are made: ");
    html.element("code", "shardmill report DIR --world-size 8 --batch 16").text(".").close();
  } else {
    add_heading(html, "steps", "Steps and padding",
                facts.training.empty() ? fmt::format("The samples lie in {}.",
                                                     base::format_count(facts.buckets.size(), "bucket"))
                                       : steps_conclusion(facts));
    if (!facts.training.empty()) add_training(html, facts);
    if (!facts.buckets.empty()) add_buckets(html, facts.buckets);
  }
  html.close();
}

}  // namespace shardmill::report
