#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/units.hpp"
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

}  // namespace shardmill::report
