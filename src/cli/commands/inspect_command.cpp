#include "cli/commands/inspect_command.hpp"

#include <fmt/format.h>

#include "cli/commands/source_options.hpp"
#include "cli/output/inspect_report.hpp"
#include "cli/terminal/console.hpp"
#include "commands/inspect.hpp"

namespace shardmill::cli {

namespace {

constexpr CommandText kText{
    .name = "inspect",
    .summary = "show what is in shards, and what will go wrong with them in training",
    .operands = "[NAME=]SOURCE... [OPTION...]",
    .about = R"(Reads every sample and says what is there: codecs, hours, formats, sample rates, audio per
shard; what is damaged or missing; which names, members and forms loaders would misread or
refuse, and what that costs; and how much audio one loader worker can decode at most with this
compression. That speed is CPU time of the codec's own library on one thread, measured on the
first 2 MiB of a shard; Python and features take more time (see shardmill ranks --need).
A SOURCE is a shard, a folder of shards, a list file, a quoted glob pattern or a raw corpus,
as for repack. Nothing is written. The exit code is 1 when data is lost or damaged, and 0 when
all data is there, even if loaders would misread it.)",
    .example =
        "  shardmill inspect aishell2=a2/*.tar.bz2 librispeech=libri/\n"
        "  shardmill inspect --fast data.list\n"
        "  shardmill inspect shards/ --json | jq '.datasets[].issues[] | {id, count, lost_samples}'"};

void add_options(CommandLine& line) {
  line.group("How to look")  //
      ("fast",
       "decode nothing: show only sizes, codecs, an estimate of the plain size, and files cut short if "
       "their format shows it");
  add_key_rule_option(line, "How to look");
  add_allow_commands_option(line, "How to look");
}

check::InspectOptions options_of(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no SOURCE given", {}, "see shardmill inspect --help");
  return {.sources = line.operands(),
          .key_rule = key_rule_choice(line),
          .allow_commands = allows_commands(line),
          .fast = line.has("fast")};
}

int run(const CommandLine& line) {
  const CommonOptions common = line.common();
  const check::InspectOptions options = options_of(line);
  Console console(kText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const check::InspectSummary summary = commands::run_inspect(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", report_as_json(summary));
  } else if (!common.quiet) {
    fmt::print("{}", report_as_text(summary, terminal_glyphs()));
  }
  return summary.damaged() ? kExitFailed : kExitDone;
}

}  // namespace

Command inspect_command() {
  return {.text = kText, .add_options = add_options, .run = run};
}

}  // namespace shardmill::cli
