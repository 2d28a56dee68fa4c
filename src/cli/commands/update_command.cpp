#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/terminal/console.hpp"
#include "dataset/recipe.hpp"
#include "update/update.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kUpdateText{
    .name = "update",
    .summary = "add samples to a finished dataset or remove some, and keep its balance",
    .operands = "DIR [--add [NAME=]SOURCE...] [--remove-keys FILE] [OPTION...]",
    .about =
        R"(Changes a dataset that repack made, without making all of it again. New samples are read as the dataset was
made and fill new shards. Afterwards all shards, old and new, hold the same number of samples and the same
audio time; as few old shards as possible are written again for that. New samples that cannot be placed
within --rewrite-limit wait in DIR/pending/, where training does not see them; the summary opens with them.
Removing a sample also removes its copies (KEY_x2), and never takes other samples out of training, unless
all shards hold exactly the same number (--even): then fewer samples than there are shards may have to wait.
If DIR holds the datasets of a split, samples are removed from all of them.
If interrupted or killed, the same command continues; until its end, the old dataset is unchanged.)",
    .example = R"(  shardmill update mixed --add aishell2=new/*.tar.bz2
  shardmill update mixed --remove-keys bad.txt
  shardmill update mixed --remove-speakers withdrawn.txt --dry-run)",
    .instead_of_address =
        "update a copy on a disk; or make a new dataset of it: shardmill repack dataset:{} "
        "[[NAME=]SOURCE...] "
        "[--exclude-keys FILE] --out s3://BUCKET/NEW"};

void add_update_options(CommandLine& line) {
  line.group("Changes")  //
      ("add",
       po::value<std::vector<std::string>>()->value_name("[NAME=]SOURCE...")->multitoken()->composing(),
       "sources to add, as for repack; with the NAME of a part of the dataset, they join that part")  //
      ("labels", po::value<std::vector<std::string>>()->value_name("[NAME=]FILE")->composing(),
       "tables whose rows are the added samples, as for repack")  //
      ("metadata", po::value<std::vector<std::string>>()->value_name("[NAME=]FILE")->composing(),
       "tables with more fields for added samples, as for repack (default: those of the dataset)")  //
      ("text-field", po::value<std::vector<std::string>>()->value_name("[NAME=]FIELD")->composing(),
       "the field with the transcripts of added samples, as for repack")  //
      ("speaker-field", po::value<std::vector<std::string>>()->value_name("[NAME=]FIELD")->composing(),
       "the field that names the speakers of added samples, as for repack")  //
      ("speaker-from", po::value<std::vector<std::string>>()->value_name("[NAME=]REGEX")->composing(),
       "where in key or path the speakers of added samples are named, as for repack")  //
      ("remove-keys", text_option("FILE"),
       "remove the samples with these keys (as in the manifests, one a line)")  //
      ("remove-speakers", text_option("FILE"),
       "remove all samples of these speakers (SPEAKER or DATASET/SPEAKER, one a line)")  //
      ("remove-datasets",
       po::value<std::vector<std::string>>()->value_name("NAME...")->multitoken()->composing(),
       "remove all samples of these parts of the dataset")  //
      ("rewrite-limit", text_option("Nx|none"),
       "rewrite old shards up to N times the bytes of new samples (default: 10x, or 20x if many would wait)")(
          "keep-mix",
          "all shards also hold the same number of samples of each dataset; usually rewrites all shards")  //
      ("remix", "deal all samples again, over as many shards as they fill");
  add_allow_commands_option(line, "Changes");
  line.group("Trouble")                                                //
      ("allow-missing-text", "also add datasets without transcripts")  //
      ("on-error", text_option("stop|skip"),
       "at a bad sample or damaged shard (default: as the dataset was made)")  //
      ("on-duplicate", text_option("stop|first|rename"),
       "if the dataset has the key already (default: as the dataset was made)")  //
      ("take-back", "add samples and speakers again that an earlier update removed")(
          "on-duplicate-audio", text_option("stop|first"),
          "if the dataset has the same audio already (default: as the dataset was made)")  //
      ("max-rejects", text_option("N|all"), "as for repack (default: as in the last run)");
  line.group("Running")                                                                        //
      ("dry-run", "list the changes, and write nothing; for new samples this is an estimate")  //
      ("force",
       "start an unfinished update over; also repeat --remix, and --add with --on-duplicate first")  //
      ("wait", "wait while another run works in DIR")                                                //
      ("ignore-free-space", "begin even if the disk seems too small");
}

/// An option of repack, read by repack's own rules.
void set(const std::string& option, const std::string& value, dataset::Recipe& recipe) {
  with_option(option, value, [&] { dataset::set_field(recipe, option, value); });
}

bool set_from(const CommandLine& line, const std::string& option, dataset::Recipe& recipe) {
  const auto given = line.optional_text(option);
  if (given) set(option, *given, recipe);
  return given.has_value();
}

/// "10x", "2.5x" or "none".
double rewrite_limit_of(const std::string& text) {
  if (text == "none") return HUGE_VAL;
  std::string_view number = text;
  if (number.ends_with('x')) number.remove_suffix(1);
  const auto limit = base::number_in<double>(number);
  if (!limit || !(*limit >= 0))
    throw UsageError(fmt::format("--rewrite-limit {} is not a number of times", printable(text)), {},
                     "give 10x, another number, or none");
  return *limit;
}

update::UpdateOptions update_options_of(const CommandLine& line) {
  if (line.operands().size() != 1) throw UsageError("give one DIR", {}, "see shardmill update --help");
  if (line.has("keep-mix") && line.has("remix"))
    throw UsageError("--remix evens the mix too: --keep-mix adds nothing to it", {}, "give one of them");
  update::UpdateOptions options;
  options.folder = line.operands().front();
  options.sources = line.texts("add");
  options.remove_keys = line.optional_text("remove-keys").value_or("");
  options.remove_speakers = line.optional_text("remove-speakers").value_or("");
  options.remove_datasets = line.texts("remove-datasets");
  if (line.has("keep-mix")) options.mix = update::Wishes::Mix::kept;
  if (line.has("remix")) options.mix = update::Wishes::Mix::anew;
  if (const auto given = line.optional_text("rewrite-limit")) {
    if (options.mix != update::Wishes::Mix::may_differ)
      throw UsageError("--keep-mix and --remix rewrite as many shards as it takes, without a limit", {},
                       "leave out --rewrite-limit");
    options.rewrite_limit = rewrite_limit_of(*given);
  }
  dataset::Recipe recipe;
  for (const char* option : {"metadata", "labels", "text-field", "speaker-field", "speaker-from"}) {
    for (const std::string& value : line.texts(option)) set(option, value, recipe);
    if (line.has(option) && options.sources.empty())
      throw UsageError(fmt::format("--{} needs --add", option), {}, "give the audio with --add");
  }
  options.labels = recipe.intake.labels;
  options.tables = recipe.intake.tables;
  options.fields = recipe.intake.tree;
  options.speakers = recipe.intake.speakers;
  if (set_from(line, "on-error", recipe)) options.on_error = recipe.intake.on_error;
  if (set_from(line, "on-duplicate", recipe)) options.on_duplicate = recipe.intake.on_duplicate;
  if (recipe.intake.prefixes_keys)
    throw UsageError("--on-duplicate prefix is for shardmill repack: it changes all keys of a dataset", {},
                     "leave it out: a dataset that was made with it goes on with it");
  if (set_from(line, "on-duplicate-audio", recipe)) {
    options.on_duplicate_audio = recipe.intake.on_duplicate_audio;
    if (options.on_duplicate_audio == pipeline::OnDuplicateAudio::off)
      throw UsageError("--on-duplicate-audio cannot be switched off for a dataset that was made with it", {},
                       "give stop or first");
  }
  options.allow_missing_text = line.has("allow-missing-text");
  if (const auto given = line.optional_text("max-rejects")) options.max_rejects = parse_max_rejects(*given);
  options.allow_commands = allows_commands(line);
  options.take_back = line.has("take-back");
  if (options.take_back && options.sources.empty())
    throw UsageError("--take-back needs --add", {}, "give them with --add");
  options.dry_run = line.has("dry-run");
  options.force = line.has("force");
  options.wait = line.has("wait");
  options.ignore_free_space = line.has("ignore-free-space");
  options.checkpoints = checkpoints();
  options.command = line.as_typed();
  options.libraries = library_versions();
  return options;
}

/// Training does not see what waits, and -q shows no summary.
void warn_of_many_waiting(const update::UpdateSummary& summary, const update::UpdateOptions& options,
                          base::Reporter& reporter) {
  constexpr std::uint64_t kFewOf = 10;
  if (summary.outcome != update::UpdateSummary::Outcome::written) return;
  if (summary.waiting <= (summary.waiting + summary.dataset.samples) / kFewOf) return;
  reporter.warn(Error(fmt::format("{} of {} wait in pending/, where training does not see them",
                                  base::format_count(summary.waiting),
                                  base::format_count(summary.waiting + summary.dataset.samples, "sample")),
                      at(options.folder), bring_in_advice(summary, options)));
}

update::UpdateOptions options_of_part(const update::UpdateOptions& options, const std::string& name) {
  update::UpdateOptions of_part = options;
  if (!name.empty()) of_part.folder += "/" + name;
  return of_part;
}

std::string as_text(const update::UpdateSummaries& summaries, const update::UpdateOptions& options) {
  std::string text;
  for (const auto& [name, summary] : summaries)
    text += update_as_text(summary, options_of_part(options, name));
  return text;
}

/// The object of a dataset; of a split an object with those of its datasets.
std::string as_json(const update::UpdateSummaries& summaries, const update::UpdateOptions& options) {
  if (summaries.front().first.empty()) return update_as_json(summaries.front().second, options);
  std::string text;
  for (const auto& [name, summary] : summaries) {
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ",\n", name,
                        update_as_json(summary, options_of_part(options, name)));
  }
  return "{\"splits\": {" + text + "}}";
}

/// -q shows no summary, and who changed the sources must learn that nothing was read.
void warn_of_skipped_sources(const update::UpdateSummary& summary, const update::UpdateOptions& options,
                             base::Reporter& reporter) {
  if (summary.outcome != update::UpdateSummary::Outcome::already_done || options.sources.empty()) return;
  reporter.warn(Error(fmt::format("was updated with these sources already, and their files have not changed "
                                  "since: nothing was read from {}",
                                  fmt::join(options.sources, ", ")),
                      at(options.folder), "--force --on-duplicate first reads them again"));
}

int run_update(const CommandLine& line) {
  const CommonOptions common = line.common();
  const update::UpdateOptions options = update_options_of(line);
  const bool asks_something = !options.sources.empty() || options.removes() || options.rewrite_limit ||
                              options.mix != update::Wishes::Mix::may_differ;
  if (!asks_something)
    throw UsageError(
        "nothing to do: give --add, --remove-keys, --remove-speakers, --remove-datasets or --remix", {},
        "see shardmill update --help");
  Console console(kUpdateText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes, memory_bound(common));
  const update::UpdateSummaries summaries = update::run_update(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", as_json(summaries, options));
  } else if (!common.quiet) {
    fmt::print("{}", as_text(summaries, options));
  }
  int code = kExitDone;
  for (const auto& [name, summary] : summaries) {
    const update::UpdateOptions of_part = options_of_part(options, name);
    warn_of_many_waiting(summary, of_part, console);
    if (common.quiet) warn_of_skipped_sources(summary, of_part, console);
    if (!summary.too_many_rejects) continue;
    console.fail(Error(fmt::format("more samples were left out for an error than --max-rejects {} allows",
                                   summary.max_rejects),
                       at(of_part.folder), "rejects.jsonl says which and why; the rest is written"));
    code = kExitTooManyRejects;
  }
  return code;
}

}  // namespace

Command update_command() {
  return {.text = kUpdateText, .add_options = add_update_options, .run = run_update};
}

}  // namespace shardmill::cli
