// The report as one HTML page that needs no other files; its sections, and their common parts: colours of
// datasets, tables, and figures in words.
// Each section has a heading, one sentence with the conclusion, and the figures.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "page/markup_writer.hpp"
#include "report/facts.hpp"

namespace shardmill::report {

/// Audio per shard, before and after repacking.
void add_balance(page::MarkupWriter& html, const ReportFacts& facts);
/// The audio of each training rank.
void add_ranks(page::MarkupWriter& html, const ReportFacts& facts);
/// The steps of each rank, the padding of batches, and buckets of similar duration, if the user asked for
/// them.
void add_steps(page::MarkupWriter& html, const ReportFacts& facts);
/// The share of each dataset in the shards.
void add_mix(page::MarkupWriter& html, const ReportFacts& facts);
/// The durations of the samples.
void add_durations(page::MarkupWriter& html, const ReportFacts& facts);
/// Kinds of audio.
void add_formats(page::MarkupWriter& html, const ReportFacts& facts);
/// Clipping, silence and other defects, if they were measured.
void add_quality(page::MarkupWriter& html, const ReportFacts& facts);
/// The rejected samples, and why.
void add_rejects(page::MarkupWriter& html, const ReportFacts& facts);
/// How and where the dataset was made.
void add_run(page::MarkupWriter& html, const ReportFacts& facts);

/// A dataset with its own colour, or all datasets for which no colour was left.
struct Series {
  std::string label;
  std::string_view tone;  // a class in the style sheet
  std::vector<std::string> datasets;

  bool holds(std::string_view dataset) const;
};

/// In the order of the datasets. Datasets without a colour share the last series.
std::vector<Series> series_of(const manifest::DatasetRecord& dataset);

struct Column {
  std::string heading;
  bool is_number = false;
};

struct Cell {
  Cell(const char* cell_text) : text(cell_text) {}
  Cell(std::string cell_text, std::string_view cell_tone = {})
      : text(std::move(cell_text)), tone(cell_tone) {}

  std::string text;
  std::string_view tone;  // a swatch of it is shown before the text
};

using Row = std::vector<Cell>;

void add_heading(page::MarkupWriter& html, std::string_view id, std::string_view heading,
                 std::string_view conclusion);
void add_table(page::MarkupWriter& html, const std::vector<Column>& columns, const std::vector<Row>& rows);
void add_legend(page::MarkupWriter& html, const std::vector<Series>& series);

/// A unit that suits audio times up to `seconds`.
struct TimeUnit {
  double seconds;
  std::string_view name;  // "hours"
};
TimeUnit time_unit(double seconds);

double seconds_of(std::chrono::nanoseconds duration);
/// "2,298.461 s".
std::string exact_seconds(double seconds);
/// "8.8 ms", "1.20 s", "3.4 min".
std::string format_spread(double seconds);
/// "12.3%", "0.00040%".
std::string format_percent(double share);
/// "shard 3", "shards 4 to 7".
std::string format_range(std::string_view one, std::size_t begin, std::size_t end);

/// Deterministic. The page stays well below a megabyte, however many shards, datasets and sources there are.
std::string report_page(const ReportFacts& facts);

/// A page with this heading. `add_content` begins inside <header>, and closes it.
std::string whole_page(const std::string& name, const std::function<void(page::MarkupWriter&)>& add_content);

/// The last part of the folder's path, as headings show it.
std::string folder_name(const ReportFacts& facts);

/// One page about several datasets, in their order and on the same scales. `all` must not be empty.
std::string comparison_page(const std::vector<ReportFacts>& all);

}  // namespace shardmill::report
