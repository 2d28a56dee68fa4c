#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/units.hpp"
#include "page/chart.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

constexpr std::size_t kComparedColumns = 200;
constexpr std::size_t kComparedBins = 60;

std::vector<double> seconds_of_shards(const ReportFacts& facts) {
  std::vector<double> seconds;
  for (const manifest::ShardRecord& shard : *facts.records.shards) seconds.push_back(shard.seconds);
  return seconds;
}

DurationHistogram all_durations(const ReportFacts& facts) {
  DurationHistogram all;
  for (const auto& [dataset, durations] : facts.durations) all.add(durations);
  return all;
}

Row compared_row(const ReportFacts& facts) {
  const manifest::DatasetRecord& dataset = *facts.records.dataset;
  const DurationHistogram durations = all_durations(facts);
  const double spread = dataset.balance.max_seconds - dataset.balance.min_seconds;
  return {folder_name(facts),
          base::format_audio(dataset.seconds),
          base::format_count(dataset.samples),
          base::format_count(dataset.shards),
          format_spread(spread),
          dataset.balance.mean_seconds > 0 ? format_percent(spread / dataset.balance.mean_seconds) : "0%",
          durations.samples() == 0 ? "" : fmt::format("{:.2f} s", seconds_of(durations.quantile(0.5))),
          base::format_size(dataset.bytes),
          base::format_count(dataset.rejects)};
}

/// `most`: seconds of the fullest shard of all folders.
page::Chart compared_shards(const ReportFacts& facts, double most) {
  const std::vector<double> seconds = seconds_of_shards(facts);
  const TimeUnit unit = time_unit(most);
  page::Chart chart{.about = "Audio of each shard of " + folder_name(facts),
                    .y_title = fmt::format("{}: {} of audio a shard", folder_name(facts), unit.name),
                    .x_title = "shard",
                    .y = page::axis_for(0, most / unit.seconds, 4),
                    .columns = {},
                    .ticks = {},
                    .height = 130};
  for (const page::Run& run : page::runs_of(seconds.size(), kComparedColumns)) {
    const page::Extent extent = page::extent_of(std::span(seconds).subspan(run.begin, run.size()));
    const std::string range = format_range("shard", run.begin, run.end);
    chart.columns.push_back({.title = run.size() == 1
                                          ? fmt::format("{}: {}", range, exact_seconds(extent.mean))
                                          : fmt::format("{}: {} to {}", range, exact_seconds(extent.lowest),
                                                        exact_seconds(extent.highest)),
                             .segments = {{0, extent.lowest / unit.seconds, "bar"}}});
    if (extent.lowest != extent.highest)
      chart.columns.back().segments.push_back(
          {extent.lowest / unit.seconds, extent.highest / unit.seconds, "bar soft"});
  }
  chart.ticks = page::number_ticks(seconds.size(), chart.columns.size(), 10);
  return chart;
}

/// The columns of all folders: each has the same number of steps of the histogram; the last has all longer
/// samples.
struct ComparedBins {
  std::size_t width = 1;
  double most_percent = 1;

  std::uint64_t count(const DurationHistogram& durations, std::size_t bin) const {
    return durations.count(bin * width, bin + 1 == kComparedBins ? SIZE_MAX : (bin + 1) * width);
  }
  double percent(const DurationHistogram& durations, std::size_t bin) const {
    return 100 * static_cast<double>(count(durations, bin)) / static_cast<double>(durations.samples());
  }
  double seconds(std::size_t bin) const {
    return seconds_of(DurationHistogram::kStep) * static_cast<double>(bin * width);
  }
};

ComparedBins compared_bins(const std::vector<ReportFacts>& all) {
  constexpr double kNearlyAll = 0.99;
  DurationHistogram together;
  for (const ReportFacts& facts : all) together.add(all_durations(facts));
  const auto steps = static_cast<std::size_t>(together.quantile(kNearlyAll) / DurationHistogram::kStep) + 1;
  ComparedBins bins{.width = (steps + kComparedBins - 2) / (kComparedBins - 1)};
  for (const ReportFacts& facts : all) {
    const DurationHistogram durations = all_durations(facts);
    for (std::size_t bin = 0; durations.samples() != 0 && bin < kComparedBins; ++bin)
      bins.most_percent = std::max(bins.most_percent, bins.percent(durations, bin));
  }
  return bins;
}

page::Chart compared_durations(const ReportFacts& facts, const ComparedBins& bins) {
  const DurationHistogram durations = all_durations(facts);
  page::Chart chart{.about = "How long the samples of " + folder_name(facts) + " are",
                    .y_title = folder_name(facts) + ": % of the samples",
                    .x_title = "seconds",
                    .y = page::axis_for(0, bins.most_percent, 3),
                    .columns = {},
                    .ticks = {},
                    .height = 130,
                    .is_joined = true};
  for (std::size_t bin = 0; bin < kComparedBins; ++bin) {
    const double percent = bins.percent(durations, bin);
    const std::string range =
        bin + 1 == kComparedBins
            ? fmt::format("{:.2f} s or longer", bins.seconds(bin))
            : fmt::format("{:.2f} s to {:.2f} s", bins.seconds(bin), bins.seconds(bin + 1));
    chart.columns.push_back({.title = fmt::format("{}: {}", range, format_percent(percent / 100)),
                             .segments = {{0, percent, "bar"}}});
    if (percent == 0) chart.columns.back().segments.clear();
    if (bin % 10 == 0)
      chart.ticks.push_back({static_cast<double>(bin), fmt::format("{:.1f}", bins.seconds(bin))});
  }
  return chart;
}

void add_compared(page::MarkupWriter& html, const std::vector<ReportFacts>& all) {
  double fullest = 0;
  for (const ReportFacts& facts : all)
    fullest = std::max(fullest, facts.records.dataset->balance.max_seconds);
  html.open("section");
  add_heading(html, "balance", "Audio in each shard", "All folders on one scale.");
  for (const ReportFacts& facts : all) {
    if (fullest > 0) draw(html, compared_shards(facts, fullest));
  }
  html.close().open("section");
  add_heading(html, "durations", "How long the samples are", "All folders on one scale.");
  const ComparedBins bins = compared_bins(all);
  for (const ReportFacts& facts : all) {
    if (facts.records.dataset->samples != 0) draw(html, compared_durations(facts, bins));
  }
  html.close();
}

}  // namespace

std::string comparison_page(const std::vector<ReportFacts>& all) {
  return whole_page(fmt::format("{} datasets", all.size()), [&](page::MarkupWriter& html) {
    std::vector<Row> rows;
    for (const ReportFacts& facts : all) rows.push_back(compared_row(facts));
    add_table(html,
              {{"folder", false},
               {"audio", true},
               {"samples", true},
               {"shards", true},
               {"spread", true},
               {"of the mean", true},
               {"median sample", true},
               {"size", true},
               {"left out", true}},
              rows);
    html.close();
    add_compared(html, all);
  });
}

}  // namespace shardmill::report
