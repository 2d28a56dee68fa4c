#include "cli/commands/report_command.hpp"

#include <fmt/format.h>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/terminal/console.hpp"
#include "commands/report.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kReportText{
    .name = "report",
    .summary = "draw a dataset as one HTML page with plots",
    .operands = "DIR [OPTION...]",
    .about =
        R"(Draws a dataset that repack made: audio per shard, now and in the shards it was made from; what
each rank gets, if shardmill ranks made a plan; the mix of the datasets, how long the samples
are, formats, what was left out, and the run. The page is one file that needs no network; rest
the pointer on a column to see its values. Only the records in DIR are read, not the shards.)",
    .example =
        "  shardmill report mixed && xdg-open mixed/report.html\n"
        "  shardmill report mixed --out /var/www/mixed.html"};

void add_report_options(CommandLine& line) {
  line.group("What is written")  //
      ("out", po::value<std::string>()->value_name("FILE"), "the page (default: DIR/report.html)");
}

std::string as_json(const report::ReportSummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("out", summary.out_file).member("bytes", summary.bytes);
  json.member("shards", summary.shards).member("samples", summary.samples);
  if (summary.with_text) json.member("with_text", *summary.with_text);
  json.member("seconds", summary.seconds).member("spread_seconds", summary.spread_seconds).end_object();
  return text;
}

int run_report(const CommandLine& line) {
  if (line.operands().size() != 1)
    throw UsageError("report takes one DIR", {}, "see shardmill report --help");
  const CommonOptions common = line.common();
  const report::ReportOptions options{.folder = line.operands().front(),
                                      .out_file = line.optional_text("out").value_or(""),
                                      .command = line.as_typed()};
  Console console(kReportText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const report::ReportSummary summary = commands::run_report(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", as_json(summary));
  } else if (!common.quiet) {
    fmt::print("{}  {}\n", printable(summary.out_file), base::format_size(summary.bytes));
  }
  return kExitDone;
}

}  // namespace

Command report_command() {
  return {.text = kReportText, .add_options = add_report_options, .run = run_report};
}

}  // namespace shardmill::cli
