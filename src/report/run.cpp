#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

using manifest::DatasetRecord;
using manifest::Reject;
using manifest::RunRecord;

constexpr std::size_t kMostRunRows = 50;
constexpr std::size_t kMostInExample = 200;
constexpr std::size_t kLongestCommand = 4000;

std::string example_text(const Reject& reject) {
  std::string what = reject.member.value_or(reject.key.value_or(""));
  if (!what.empty()) what = page::shortened(what, kMostInExample) + " in ";
  return what + page::shortened(reject.source, kMostInExample) + ": " +
         page::shortened(reject.problem, kMostInExample);
}

void add_reject_rows(page::MarkupWriter& html, const std::vector<RejectGroup>& groups) {
  html.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  html.element("th", "reason")
      .element("th", "count", {{"class", "number"}})
      .element("th", "the first of them");
  html.close().close().open("tbody");
  for (const RejectGroup& group : groups) {
    html.open("tr").open("td", {{"data-heading", "reason"}}).element("code", name(group.reason)).close();
    html.element("td", base::format_count(group.count), {{"class", "number"}, {"data-heading", "count"}});
    html.open("td", {{"data-heading", "the first of them"}});
    html.open("ul", {{"class", "examples"}});
    for (const Reject& reject : group.examples) html.element("li", example_text(reject));
    html.close().close().close();
  }
  html.close().close().close();
}

std::uint64_t source_bytes(const DatasetRecord& dataset) {
  std::uint64_t bytes = 0;
  for (const DatasetRecord::Source& source : dataset.sources) bytes += source.bytes;
  return bytes;
}

/// run.json is that of the last update; its facts about the machine are not those of the first run.
std::string update_conclusion(const RunRecord& run, const DatasetRecord& dataset) {
  const RunRecord::Event& made = run.history.front();
  return fmt::format("Made in {}, and updated {} since; the last update took {} on {}.",
                     base::format_elapsed(made.seconds), base::format_count(dataset.updates.size(), "time"),
                     base::format_elapsed(run.seconds), base::format_count(run.threads, "thread"));
}

std::string run_conclusion(const RunRecord& run, const DatasetRecord& dataset) {
  if (!run.history.empty()) return update_conclusion(run, dataset);
  const double seconds = std::max(run.seconds, 1e-3);
  const auto bytes = source_bytes(dataset);
  return fmt::format(
      "Made in {} on {}: {} read at {}, {} times real time{}.", base::format_elapsed(run.seconds),
      base::format_count(run.threads, "thread"), base::format_size(bytes),
      base::format_rate(static_cast<double>(bytes) / seconds), base::format_speed(dataset.seconds / seconds),
      run.resumed == 0 ? "" : fmt::format(", interrupted {}", base::format_count(run.resumed, "time")));
}

std::vector<Row> run_rows(const RunRecord& run) {
  std::vector<Row> rows{{"started", run.started},
                        {"took", base::format_elapsed(run.seconds)},
                        {"interrupted", base::format_count(run.resumed, "time")},
                        {"machine", run.host},
                        {"system", run.system},
                        {"CPU", fmt::format("{}, {}", run.cpu, base::format_count(run.cores, "core"))},
                        {"threads", fmt::format("{}", run.threads)},
                        {"memory bound", base::format_size(run.memory_bytes)},
                        {"filesystem", run.filesystem},
                        {"vector code", run.vector_path},
                        {"paths in data.list", "below " + run.list_root}};
  std::string versions;
  for (const auto& [library, version] : run.versions)
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", library, version);
  rows.push_back({"versions", versions});
  return rows;
}

std::vector<Row> option_rows(const DatasetRecord& dataset) {
  std::vector<Row> rows;
  for (const auto& [option, value] : dataset.options) rows.push_back({"--" + option, value});
  return rows;
}

std::vector<Row> source_rows(const DatasetRecord& dataset, const std::vector<Series>& series) {
  std::vector<Row> rows;
  for (const DatasetRecord::Source& source : dataset.sources) {
    if (rows.size() == kMostRunRows) break;
    const auto own = std::find_if(series.begin(), series.end(),
                                  [&](const Series& one) { return one.holds(source.dataset); });
    rows.push_back({Cell(source.dataset, own == series.end() ? std::string_view() : own->tone), source.path,
                    base::format_count(source.files), base::format_size(source.bytes)});
  }
  if (dataset.sources.size() > rows.size())
    rows.push_back({fmt::format("and {} more", dataset.sources.size() - rows.size()), "", "", ""});
  return rows;
}

std::vector<Row> update_rows(const DatasetRecord& dataset, const RunRecord& run) {
  std::vector<Row> rows;
  for (const DatasetRecord::Update& update : dataset.updates) {
    const std::size_t number = rows.size() + 1;  // the first event made the dataset
    const RunRecord::Event event = number < run.history.size() ? run.history[number] : RunRecord::Event{};
    rows.push_back({event.started, base::format_elapsed(event.seconds),
                    page::shortened(event.command, kMostInExample),
                    fmt::format("{}", fmt::join(update.sources, ", ")), base::format_count(update.added),
                    base::format_count(update.removed), base::format_count(update.new_shards),
                    base::format_count(update.rewritten_shards), base::format_count(update.pending)});
  }
  return rows;
}

}  // namespace

void add_rejects(page::MarkupWriter& html, const ReportFacts& facts) {
  std::uint64_t count = 0;
  for (const RejectGroup& group : facts.rejects) count += group.count;
  html.open("section");
  add_heading(html, "rejects", "What was left out",
              count == 0
                  ? std::string("Nothing was left out.")
                  : fmt::format("{} left out, most often for {}; rejects.jsonl names each.",
                                count == 1 ? "One thing was" : base::format_count(count) + " things were",
                                name(facts.rejects.front().reason)));
  if (count != 0) add_reject_rows(html, facts.rejects);
  html.close();
}

void add_run(page::MarkupWriter& html, const ReportFacts& facts) {
  const DatasetRecord& dataset = *facts.records.dataset;
  const RunRecord& run = *facts.records.run;
  html.open("section");
  add_heading(html, "run", "How it was made", run_conclusion(run, dataset));
  const std::string& command = run.history.empty() ? run.command : run.history.front().command;
  html.open("pre").element("code", page::shortened(command, kLongestCommand)).close();
  html.element("h3", "Sources");
  add_table(html, {{"dataset", false}, {"source", false}, {"files", true}, {"size", true}},
            source_rows(dataset, series_of(dataset)));
  if (!dataset.updates.empty()) {
    html.element("h3", "Updates since it was made");
    add_table(html,
              {{"when", false},
               {"took", false},
               {"command", false},
               {"sources", false},
               {"added", true},
               {"removed", true},
               {"new shards", true},
               {"written again", true},
               {"left waiting", true}},
              update_rows(dataset, run));
  }
  html.open("div", {{"class", "pairs"}})
      .open("div")
      .element("h3", run.history.empty() ? "The run" : "The last update");
  add_table(html, {{"", false}, {"", false}}, run_rows(run));
  html.close().open("div").element("h3", "Options that shape the result");
  add_table(html, {{"option", false}, {"value", false}}, option_rows(dataset));
  html.close().close().close();
}

}  // namespace shardmill::report
