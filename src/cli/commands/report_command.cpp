#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/remote/url.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/terminal/console.hpp"
#include "report/report.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kReportText{
    .name = "report",
    .summary = "draw a dataset as one HTML page with plots",
    .operands = "DIR [OPTION...] | DIR... --out FILE",
    .about =
        R"(Draws a dataset that repack made: the audio in each shard, and in the shards it was made from; the
audio of each rank, if shardmill ranks made a plan; the mix of the datasets, the lengths of the samples,
formats, what was left out, and the run. The page is one file that needs no network; point at a column
to see its values. Only the records in DIR are read, not the shards; DIR may be in a bucket.
With --world-size and --batch (or another option for batches) it shows the steps of the ranks in each
epoch and the padding, as shardmill ranks counts them; with --buckets, buckets of equal audio.
Several DIRs are drawn on one page, with the same scales.)",
    .example =
        "  shardmill report mixed && xdg-open mixed/report.html\n"
        "  shardmill report mixed --out /var/www/mixed.html\n"
        "  shardmill report mixed --world-size 8 --batch-duration 600s --loader lhotse\n"
        "  shardmill report v1 v2 v3 --out versions.html",
    .first = "out world-size workers loader batch batch-frames batch-duration",
    .instead_of_out_address = "write the page into a folder, and send it"};

constexpr std::array kTrainingOptions{"world-size",     "workers", "loader",         "epochs",
                                      "seed",           "batch",   "batch-frames",   "batch-buckets",
                                      "batch-duration", "buckets", "shuffle-buffer", "sort-buffer"};

void add_report_options(CommandLine& line) {
  line.group("Output")  //
      ("out", po::value<std::string>()->value_name("FILE"), "file for the page (default: DIR/report.html)");
  add_training_options(line);
}

/// The training whose steps are counted; nullopt if the user gave no option for it.
std::optional<ranks::RanksOptions> training_of(const CommandLine& line) {
  const auto is_given = [&](const char* option) { return line.was_given(option); };
  const auto asked = std::find_if(kTrainingOptions.begin(), kTrainingOptions.end(), is_given);
  if (asked == kTrainingOptions.end()) return std::nullopt;
  if (line.operands().size() != 1)
    throw UsageError(fmt::format("--{} is for one DIR", *asked), {}, "make a report for each");
  ranks::RanksOptions options;
  options.targets = line.operands();
  options.dry_run = true;
  read_training(line, options);
  if (!options.batching && options.buckets == 0)
    throw UsageError("the kind of batches is missing", {},
                     "also give --batch, --batch-frames, --batch-buckets, --batch-duration or --buckets");
  return options;
}

std::string batches_of(const std::optional<ranks::RanksOptions>& training) {
  if (!training || !training->batching) return {};
  deal::Batching batching = *training->batching;
  if (batching.by == deal::Batching::By::duration) batching.bins.resize(training->buckets - 1);
  return batches_text(batching);
}

std::string as_json(const report::ReportSummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("out", summary.out_file).member("bytes", summary.bytes);
  json.member("shards", summary.shards).member("samples", summary.samples);
  json.member("with_text", summary.with_text);
  json.member("seconds", summary.seconds).member("spread_seconds", summary.spread_seconds).end_object();
  return text;
}

int run_report(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no DIR given", {}, "see shardmill report --help");
  if (base::is_remote(line.operands().front()) && !line.has("out"))
    throw UsageError("is on another machine, and the page is written to this one",
                     at(line.operands().front()), "give --out FILE");
  if (line.operands().size() > 1 && !line.has("out"))
    throw UsageError("several DIRs make one page, which needs a name", {}, "give --out FILE");
  const CommonOptions common = line.common();
  const std::optional<ranks::RanksOptions> training = training_of(line);
  const report::ReportOptions options{.folders = line.operands(),
                                      .out_file = line.optional_text("out").value_or(""),
                                      .batches = batches_of(training),
                                      .command = line.as_typed()};
  Console console(kReportText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const report::ReportSummary summary = report::run_report(options, training, workers, console);
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
