#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/units.hpp"
#include "page/chart.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

using manifest::DatasetRecord;
using manifest::ShardRecord;

constexpr std::size_t kMostMixColumns = 120;
constexpr std::size_t kMostMixTicks = 10;
constexpr std::size_t kMostMixRows = 50;
constexpr double kSameShare = 0.02;  // of the audio: a smaller difference counts as the same proportion

/// The audio time of each series in some shards.
class SeriesSeconds {
 public:
  explicit SeriesSeconds(const std::vector<Series>& series) : series_(series), seconds_(series.size()) {}

  void add(const ShardRecord& shard) {
    for (const ShardRecord::Share& share : shard.shares) {
      for (std::size_t i = 0; i < series_.size(); ++i) {
        if (series_[i].holds(share.dataset)) seconds_[i] += share.seconds;
      }
      total_ += share.seconds;
    }
  }
  double share(std::size_t series) const { return total_ > 0 ? seconds_[series] / total_ : 0; }

 private:
  const std::vector<Series>& series_;
  std::vector<double> seconds_;
  double total_ = 0;
};

struct ShareRange {
  double lowest = 1;
  double highest = 0;
};

/// The range of each series' share over all shards.
std::vector<ShareRange> share_ranges(const std::vector<Series>& series,
                                     const std::vector<ShardRecord>& shards) {
  std::vector<ShareRange> ranges(series.size());
  for (const ShardRecord& shard : shards) {
    SeriesSeconds seconds(series);
    seconds.add(shard);
    for (std::size_t i = 0; i < series.size(); ++i) {
      ranges[i].lowest = std::min(ranges[i].lowest, seconds.share(i));
      ranges[i].highest = std::max(ranges[i].highest, seconds.share(i));
    }
  }
  return ranges;
}

page::ChartColumn mix_column(const page::Run& run, const std::vector<Series>& series,
                             const std::vector<ShardRecord>& shards) {
  SeriesSeconds seconds(series);
  for (std::size_t i = run.begin; i < run.end; ++i) seconds.add(shards[i]);
  page::ChartColumn column{.title = format_range("shard", run.begin, run.end) + ": ", .segments = {}};
  double below = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double share = seconds.share(i);
    column.title += fmt::format("{}{} {}", i == 0 ? "" : ", ", series[i].label, format_percent(share));
    if (share > 0) column.segments.push_back({below * 100, (below + share) * 100, series[i].tone});
    below += share;
  }
  return column;
}

page::Chart mix_chart(const std::vector<Series>& series, const std::vector<ShardRecord>& shards) {
  page::Chart chart{.about = "The share of each dataset in the audio of the shards",
                    .y_title = "% of the audio",
                    .x_title = "shard, in order",
                    .y = page::axis_for(0, 100, 4),
                    .columns = {},
                    .ticks = {}};
  for (const page::Run& run : page::runs_of(shards.size(), kMostMixColumns)) {
    chart.columns.push_back(mix_column(run, series, shards));
  }
  chart.ticks = page::number_ticks(shards.size(), chart.columns.size(), kMostMixTicks);
  return chart;
}

std::vector<Row> mix_rows(const DatasetRecord& dataset, const std::vector<Series>& series,
                          const std::vector<ShareRange>& ranges) {
  std::vector<Row> rows;
  for (const DatasetRecord::Part& part : dataset.datasets) {
    const auto own = std::find_if(series.begin(), series.end(),
                                  [&](const Series& one) { return one.holds(part.dataset); });
    const ShareRange& range = ranges[static_cast<std::size_t>(own - series.begin())];
    const bool is_alone = own->datasets.size() == 1;
    rows.push_back({Cell(part.dataset, own->tone), base::format_count(part.samples),
                    base::format_audio(part.seconds), format_percent(part.seconds / dataset.seconds),
                    is_alone ? format_percent(range.lowest) + " to " + format_percent(range.highest) : "",
                    fmt::format("{}", part.weight)});
    if (rows.size() == kMostMixRows) break;
  }
  if (dataset.datasets.size() > rows.size())
    rows.push_back({fmt::format("and {} more", dataset.datasets.size() - rows.size()), "", "", "", "", ""});
  return rows;
}

std::string mix_conclusion(const DatasetRecord& dataset, const std::vector<ShareRange>& ranges) {
  if (dataset.datasets.size() == 1) return "All audio is of one dataset.";
  if (dataset.shards == 1) return fmt::format("{} datasets in one shard.", dataset.datasets.size());
  double widest = 0;
  for (const ShareRange& range : ranges) widest = std::max(widest, range.highest - range.lowest);
  if (widest > kSameShare) {
    return fmt::format(
        "From shard to shard the share of a dataset differs by up to {:.1f} percentage points.",
        widest * 100);
  }
  return fmt::format(
      "Every shard has the {} datasets in the proportion of the whole: from shard to shard no share differs "
      "by "
      "more than {:.2f} percentage points.",
      dataset.datasets.size(), std::ceil(widest * 1e4) / 100);
}

}  // namespace

void add_mix(page::MarkupWriter& html, const ReportFacts& facts) {
  const DatasetRecord& dataset = *facts.records.dataset;
  const std::vector<Series> series = series_of(dataset);
  const std::vector<ShareRange> ranges = share_ranges(series, *facts.records.shards);
  html.open("section");
  add_heading(html, "mix", "Datasets", mix_conclusion(dataset, ranges));
  if (series.size() > 1) {
    add_legend(html, series);
    draw(html, mix_chart(series, *facts.records.shards));
  }
  add_table(html,
            {{"dataset", false},
             {"samples", true},
             {"audio", true},
             {"share", true},
             {"share in a shard", true},
             {"weight", true}},
            mix_rows(dataset, series, ranges));
  html.close();
}

}  // namespace shardmill::report
