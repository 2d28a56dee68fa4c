#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text/letters.hpp"
#include "check/duplicates.hpp"
#include "check/inspection.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"
#include "cli/terminal/console.hpp"
#include "dataset/recipe.hpp"
#include "source/source_set.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kInspectText{
    .name = "inspect",
    .summary = "show the contents of shards, and what will go wrong with them in training",
    .operands = "[NAME=]SOURCE... [OPTION...]",
    .about =
        R"(Reads every sample and reports the contents: codecs, hours, formats, sample rates, audio in each shard;
damaged and missing files; names, members and forms that loaders misread or refuse, and the samples that
this costs; and how much audio one loader worker can decode at most with this compression. That speed is
CPU time of the codec's own library on one thread, measured on the first 2 MiB of a shard; Python and
features take more time (see shardmill ranks --need).
A SOURCE is a shard, a folder of shards, a list file, a quoted glob pattern or a raw corpus, as for repack.
Nothing is written. The exit code is 1 if data is lost or damaged, and 0 if all data is there, even if
loaders would misread it.)",
    .example =
        "  shardmill inspect aishell2=a2/*.tar.bz2 librispeech=libri/\n"
        "  shardmill inspect --fast data.list\n"
        "  shardmill inspect train/ --duplicates --against test/\n"
        "  shardmill inspect shards/ --json | jq '.datasets[].issues[] | {id, count, lost_samples}'"};

void add_inspect_options(CommandLine& line) {
  line.group("How to look")  //
      ("fast",
       "decode nothing: show sizes, codecs, an estimate of the plain size, and files that are cut short, "
       "except "
       "of gzip")  //
      ("duplicates",
       "find samples that occur more than once: equal audio, or equal text of one speaker; exit code 1 for "
       "audio")("against", po::value<std::vector<std::string>>()->value_name("[NAME=]SOURCE")->composing(),
                "with --duplicates: only samples that are also in this SOURCE, such as a test set; may be "
                "given several times");
  line.group("Sources")  //
      ("labels", po::value<std::vector<std::string>>()->value_name("[NAME=]FILE")->composing(),
       "tables whose rows are the samples, as for repack")  //
      ("text-field", po::value<std::vector<std::string>>()->value_name("[NAME=]FIELD")->composing(),
       "the column or JSON member with the transcript, as for repack")  //
      ("audio-root", text_option("DIR"), "where the audio of Lhotse's manifests is, as for repack");
  add_key_rule_option(line, "How to look");
  add_allow_commands_option(line, "How to look");
}

check::InspectOptions inspect_options_of(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no SOURCE given", {}, "see shardmill inspect --help");
  dataset::Recipe recipe;
  const auto set = [&](const char* option, const std::string& value) {
    with_option(option, value, [&] { dataset::set_field(recipe, option, value); });
  };
  for (const char* option : {"labels", "text-field"}) {
    for (const std::string& value : line.texts(option)) set(option, value);
  }
  if (const auto root = line.optional_text("audio-root")) set("audio-root", *root);
  for (const auto& [name, field] : recipe.intake.tree.text_fields) {
    const bool is_known = std::ranges::any_of(line.operands(), [&name = name](const std::string& source) {
      return source::dataset_name_of(source) == name;
    });
    if (!is_known)
      throw UsageError(fmt::format("--text-field: no source is called '{}'", printable(name)), {},
                       "name one: NAME=SOURCE");
  }
  return {.sources = line.operands(),
          .key_rule = key_rule_choice(line),
          .allow_commands = allows_commands(line),
          .fast = line.has("fast"),
          .labels = recipe.intake.labels,
          .tree = recipe.intake.tree};
}

int run_duplicates(const CommandLine& line, const CommonOptions& common) {
  if (line.has("fast"))
    throw UsageError("--fast cannot be combined with --duplicates, which decodes all audio");
  for (const char* option : {"labels", "text-field", "audio-root"}) {
    if (line.has(option)) throw UsageError(fmt::format("--{} cannot be combined with --duplicates", option));
  }
  const check::InspectOptions shared = inspect_options_of(line);
  const check::DuplicateOptions options{.sources = shared.sources,
                                        .against = line.texts("against"),
                                        .key_rule = shared.key_rule,
                                        .allow_commands = shared.allow_commands};
  Console console(kInspectText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const check::DuplicateSummary summary = check::find_duplicates(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", duplicates_as_json(summary));
  } else if (!common.quiet) {
    fmt::print("{}", duplicates_as_text(summary));
  }
  return summary.audio.empty() && summary.unusable.empty() ? kExitDone : kExitFailed;
}

int run_inspect(const CommandLine& line) {
  const CommonOptions common = line.common();
  if (line.has("duplicates")) return run_duplicates(line, common);
  if (line.has("against")) throw UsageError("--against needs --duplicates");
  const check::InspectOptions options = inspect_options_of(line);
  Console console(kInspectText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto start = std::chrono::steady_clock::now();
  check::InspectSummary summary = check::inspect_sources(options, workers, console);
  summary.seconds = seconds_of(std::chrono::steady_clock::now() - start);
  console.end_progress();
  const std::optional<Proposal> proposal = proposal_for(summary, options);
  if (common.json) {
    fmt::print("{}\n", report_as_json(summary, proposal));
  } else if (!common.quiet) {
    fmt::print("{}", report_as_text(summary, proposal, terminal_glyphs()));
  }
  return summary.damaged() ? kExitFailed : kExitDone;
}

}  // namespace

Command inspect_command() {
  return {.text = kInspectText, .add_options = add_inspect_options, .run = run_inspect};
}

}  // namespace shardmill::cli
