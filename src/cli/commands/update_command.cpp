#include "cli/commands/update_command.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text/units.hpp"
#include "cli/commands/doctor_command.hpp"
#include "cli/commands/run_options.hpp"
#include "cli/commands/source_options.hpp"
#include "cli/output/update_summary.hpp"
#include "cli/terminal/console.hpp"
#include "commands/update.hpp"
#include "dataset/recipe.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kUpdateText{
    .name = "update",
    .summary = "adds samples to a finished dataset or removes some, and keeps its balance",
    .operands = "DIR [--add [NAME=]SOURCE...] [--remove-keys FILE] [OPTION...]",
    .about =
        R"(Changes a dataset that repack made, without making all of it again. New samples are read as the dataset was
made, and fill new shards that hold the same number of samples and the same audio time as the others. What
does not fill a shard waits in DIR/pending/ until the next update: it belongs to the dataset, but no list
names it. Of the shards that are there, only those are written again that hold a removed sample.
Interrupted or killed, the same command goes on; until its end, the old dataset is what it was.)",
    .example = R"(  shardmill update mixed --add aishell2=new/*.tar.bz2
  shardmill update mixed --remove-keys bad.txt
  shardmill update mixed --spread-rest)"};

void add_update_options(CommandLine& line) {
  line.group("What is changed")  //
      ("add",
       po::value<std::vector<std::string>>()->value_name("[NAME=]SOURCE...")->multitoken()->composing(),
       "sources as repack takes them; a NAME that the dataset has joins that part of it")  //
      ("metadata", po::value<std::vector<std::string>>()->value_name("[NAME=]FILE")->composing(),
       "tables that tell more of the added samples, as repack takes them; otherwise those of the dataset")  //
      ("remove-keys", text_option("FILE"),
       "takes out the samples with these keys (as the manifests have them, one a line)")  //
      ("spread-rest",
       "deals what does not fill a shard, and what waits already, over all shards; writes all of them "
       "again")  //
      ("remix", "deals all samples anew, over as many shards as they fill");
  add_allow_commands_option(line, "What is changed");
  line.group("Trouble")                                                              //
      ("allow-missing-text", "add samples also where a dataset has no transcripts")  //
      ("on-error", text_option("stop|skip"),
       "at a bad sample or damaged shard; otherwise as the dataset was made")  //
      ("on-duplicate", text_option("stop|first|rename"),
       "when the dataset has the key already; otherwise as it was made")                                   //
      ("take-back", "--on-duplicate first leaves out what an earlier update removed; this adds it again")  //
      ("on-duplicate-audio", text_option("stop|first"),
       "when the dataset has the same audio already; otherwise as it was made")  //
      ("max-rejects", text_option("N|all"), "as repack has it; otherwise as the last run had it");
  line.group("Running")                                                                                   //
      ("dry-run", "says what would be written, and touches nothing; of new samples this is an estimate")  //
      ("force", "drop what an unfinished update left, and begin anew")                                    //
      ("wait", "wait while another run works in DIR")                                                     //
      ("ignore-free-space", "begin also where there may be too little room");
}

/// An option of repack, read by repack's own rules.
bool set_from(const CommandLine& line, const std::string& option, dataset::Recipe& recipe) {
  const auto given = line.optional_text(option);
  if (!given) return false;
  try {
    dataset::set_field(recipe, option, *given);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--{} {} {}", option, printable(*given), error.problem()), {},
                     error.advice());
  }
  return true;
}

update::UpdateOptions update_options_of(const CommandLine& line) {
  if (line.operands().size() != 1) throw UsageError("give one DIR", {}, "see shardmill update --help");
  if (line.has("spread-rest") && line.has("remix"))
    throw UsageError("--remix deals all samples: --spread-rest says nothing more", {}, "give one of them");
  update::UpdateOptions options;
  options.folder = line.operands().front();
  options.sources = line.texts("add");
  options.remove_keys = line.optional_text("remove-keys").value_or("");
  if (line.has("spread-rest")) options.rest = update::Rest::spread;
  if (line.has("remix")) options.rest = update::Rest::remix;
  dataset::Recipe recipe;
  for (const std::string& table : line.texts("metadata")) dataset::set_field(recipe, "metadata", table);
  options.tables = recipe.intake.tables;
  if (!options.tables.empty() && options.sources.empty())
    throw UsageError("--metadata tells of samples that are added", {}, "give them with --add");
  if (set_from(line, "on-error", recipe)) options.on_error = recipe.intake.on_error;
  if (set_from(line, "on-duplicate", recipe)) options.on_duplicate = recipe.intake.on_duplicate;
  if (set_from(line, "on-duplicate-audio", recipe)) {
    options.on_duplicate_audio = recipe.intake.on_duplicate_audio;
    if (options.on_duplicate_audio == pipeline::OnDuplicateAudio::off)
      throw UsageError("--on-duplicate-audio off is not for datasets that were made with it", {},
                       "give stop or first");
  }
  options.allow_missing_text = line.has("allow-missing-text");
  if (const auto given = line.optional_text("max-rejects")) options.max_rejects = parse_max_rejects(*given);
  options.allow_commands = allows_commands(line);
  options.take_back = line.has("take-back");
  if (options.take_back && options.sources.empty())
    throw UsageError("--take-back tells of samples that are added", {}, "give them with --add");
  options.dry_run = line.has("dry-run");
  options.force = line.has("force");
  options.wait = line.has("wait");
  options.ignore_free_space = line.has("ignore-free-space");
  options.checkpoints = checkpoints();
  options.command = line.as_typed();
  options.libraries = library_versions();
  return options;
}

/// Training does not see what waits. Of a small dataset that may be most of it, and -q shows no summary.
void warn_of_many_waiting(const update::UpdateSummary& summary, const std::string& folder,
                          base::Reporter& reporter) {
  constexpr std::uint64_t kFewOf = 10;  // one of so many
  if (summary.outcome != update::UpdateSummary::Outcome::written || !summary.dataset.pending) return;
  const std::uint64_t waiting = summary.dataset.pending->samples;
  const std::uint64_t all = waiting + summary.dataset.samples;
  if (waiting <= all / kFewOf) return;
  reporter.warn(Error(fmt::format("{} of {} wait in pending/, where training does not see them",
                                  base::format_count(waiting), base::format_count(all, "sample")),
                      at(folder), "--spread-rest deals them over all shards, --remix makes shards anew"));
}

int run_update(const CommandLine& line) {
  const CommonOptions common = line.common();
  const update::UpdateOptions options = update_options_of(line);
  Console console(kUpdateText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes, memory_bound(common));
  const update::UpdateSummary summary = commands::run_update(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", update_as_json(summary, options));
  } else if (!common.quiet) {
    fmt::print("{}", update_as_text(summary, options));
  }
  warn_of_many_waiting(summary, options.folder, console);
  if (!summary.too_many_rejects) return kExitDone;
  console.fail(Error(fmt::format("more samples were left out for an error than --max-rejects {} allows",
                                 summary.max_rejects),
                     at(options.folder), "rejects.jsonl says which and why; the rest is written"));
  return kExitTooManyRejects;
}

}  // namespace

Command update_command() {
  return {.text = kUpdateText, .add_options = add_update_options, .run = run_update};
}

}  // namespace shardmill::cli
