#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/repack.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/terminal/console.hpp"
#include "repack/repack.hpp"
#include "source/corpora.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

// The prefixes of corpora are filled in.
constexpr CommandText kRepackText{
    .name = "repack",
    .summary = "the main job: read, mix, balance and write shards, with records of their contents",
    .operands = "[NAME=]SOURCE... --out DIR [OPTION...]",
    .about =
        R"(Reads samples from shards of any compression, mixes the datasets in proportion to their size, and writes
shards that all hold the same number of samples and the same audio time, with manifests beside them.
A SOURCE is one of these. Its form is recognised by its content, so a prefix is rarely needed:
  shards    a shard, a folder of shards, a list file with one path a line, or a quoted glob pattern
  files     audio:DIR (audio files with .txt or .json beside them), table:FILE (CSV, TSV or JSON lines that list
            audio), kaldi:DIR, wenet:FILE, nemo:FILE, lhotse:DIR
  Parquet   parquet:PATH, a file or a folder of them as on the Hugging Face Hub, with a column of audio
  a corpus  as its publisher packs it: a folder, an archive or a folder of archives, with one of the prefixes
{}
  a dataset dataset:DIR, which repack made; all fields of its samples are kept
Sources with the same NAME are one dataset. If a run is interrupted or killed, the same command continues it.
If DIR holds the finished dataset already, the command says so and does nothing.)",
    .example = R"(  shardmill repack aishell2=a2/*.tar.bz2 librispeech=libri/ --out mixed --shards 64
  shardmill repack data.list --out mixed --shard-duration 1h --multiple-of 32 --codec zstd)",
    .first = "out shards metadata audio sample-rate channels split on-error max-rejects dry-run"};

/// The prefixes of corpora as their publishers pack them, in lines of the help.
std::string corpus_prefixes() {
  constexpr std::size_t kColumns = 112;
  constexpr std::size_t kIndent = 12;
  std::set<std::string_view> prefixes;
  for (const source::Corpus* corpus : source::all_corpora()) {
    if (corpus->is_tree()) prefixes.insert(corpus->prefix);
  }
  std::string lines;
  std::size_t column = kColumns;
  for (const std::string_view prefix : prefixes) {
    if (!lines.empty()) lines += ',';
    if (column + prefix.size() + std::string_view(" :,").size() > kColumns) {
      lines += fmt::format("{}{:{}}", lines.empty() ? "" : "\n", "", kIndent - 1);
      column = kIndent - 1;
    }
    lines += fmt::format(" {}:", prefix);
    column += prefix.size() + std::string_view(" :,").size();
  }
  return lines;
}

void add_repack_options(CommandLine& line) {
  line.group("Output")  //
      ("out", text_option("DIR"),
       "folder for the dataset, or s3://BUCKET/PREFIX; it is created if it is missing (required)");
  add_sizing_options(line);
  add_recipe_options(line);
  line.group("Shards")  //
      ("ranks", text_option("N"),
       "advise on shards for N training ranks; changes nothing (default: 8, only with --dry-run)")  //
      ("workers", text_option("K"), "loader workers of each rank, for the same advice (default: 4)");
  add_allow_commands_option(line, "Sources");
  line.group("Sources")  //
      ("md5", po::value<std::vector<std::string>>()->value_name("HEX")->composing(),
       "stop unless the archive of a corpus has this MD5; may be given several times, for several archives");
  line.group("Trouble")  //
      ("max-rejects", text_option("N|all")->default_value("0"),
       "exit code 3 if --on-error skip left out more than N samples, or an unknown number in a damaged file");
  add_split_options(line);
  line.group("Running")                                                                //
      ("dry-run", "list the faults of all sources, plan and estimate; write nothing")  //
      ("force", "start over, and replace the dataset in DIR")                          //
      ("wait", "wait while another run works in DIR, then use its result")             //
      ("ignore-free-space", "begin even if the disk seems too small")                  //
      ("depfile", text_option("FILE"), "for make: write the list of files that DIR/dataset.json depends on");
  line.group("Running")  //
      ("work", text_option("DIR"),
       "where a dataset for a bucket is made before it is sent, and the scratch of each part (default: one "
       "of its own in shardmill-work)");
  add_parts_options(line);
}

/// The training for which advice is given. `plan`: the value of --plan-for, whose ranks and workers win.
repack::ShardReaders readers_of(const CommandLine& line, const std::optional<deal::PlanFor>& plan) {
  constexpr std::uint64_t kMostRanks = 1'000'000;
  constexpr std::uint64_t kMostLoaders = 1024;
  repack::ShardReaders readers;
  if (plan) {
    readers.team.world_size = plan->ranks;
    readers.team.workers = plan->workers;
  }
  readers.are_given = line.has("ranks") || line.has("workers");
  if (line.has("ranks")) readers.team.world_size = number_of(line, "ranks", 1, kMostRanks);
  if (line.has("workers")) readers.team.workers = number_of(line, "workers", 1, kMostLoaders);
  if (plan && (readers.team.world_size != plan->ranks || readers.team.workers != plan->workers))
    throw UsageError("--ranks or --workers contradicts --plan-for", {},
                     "leave them out; the advice is then for the ranks and workers of --plan-for");
  for (const char* const option : {"shards", "shard-duration", "shard-size", "shard-samples"})
    readers.are_shards_given = readers.are_shards_given || line.has(option);
  return readers;
}

std::vector<std::string> md5s(const CommandLine& line) {
  std::vector<std::string> digests;
  if (!line.has("md5")) return digests;
  for (const std::string& given : line.texts("md5")) {
    std::string digest = base::lower(given);
    if (digest.size() != 32 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw UsageError(fmt::format("--md5 {} is not an MD5", printable(digest)), {},
                       "give 32 hexadecimal digits");
    digests.push_back(std::move(digest));
  }
  return digests;
}

}  // namespace

repack::RepackOptions repack_options_of(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no SOURCE given", {}, "see shardmill repack --help");
  if (!line.has("out")) throw UsageError("--out DIR is missing", {}, "see shardmill repack --help");
  repack::RepackOptions options;
  options.sources = line.operands();
  options.allow_commands = allows_commands(line);
  options.md5s = md5s(line);
  options.out_folder = line.text("out");
  options.work_folder = line.optional_text("work").value_or("");
  options.recipe = recipe_of(line);
  options.depfile = line.optional_text("depfile").value_or("");
  options.max_rejects = parse_max_rejects(line.text("max-rejects"));
  options.dry_run = line.has("dry-run");
  options.readers = readers_of(line, options.recipe.plan_for);
  options.force = line.has("force");
  options.ignore_free_space = line.has("ignore-free-space");
  set_ways_of_working(line, options);
  options.command = line.as_typed();
  return options;
}

void set_ways_of_working(const CommandLine& line, repack::RepackOptions& options) {
  options.wait = line.has("wait");
  options.checkpoints = checkpoints();
  if (const char* text = std::getenv("SHARDMILL_PART_BYTES"))  // for tests; a bucket wants 5 MiB or more
    options.part_bytes = std::max<std::uint64_t>(1, base::parse_size(text));
  options.libraries = library_versions();
}

namespace {

int run_repack(const CommandLine& line) {
  if (has_split_options(line)) return run_split(line);
  if (has_parts_options(line)) return run_parts(line);
  const CommonOptions common = line.common();
  const repack::RepackOptions options = repack_options_of(line);
  Console console(kRepackText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes, memory_bound(common));
  const repack::RepackSummary summary = repack::run_repack(options, workers, console);
  console.end_progress();
  warn_of_shards(summary, options, console);
  if (common.json) {
    fmt::print("{}\n", summary_as_json(summary, options));
  } else if (!common.quiet) {
    fmt::print("{}", summary_as_text(summary, options));
  }
  return verdict(summary, options, console);
}

}  // namespace

Command repack_command() {
  static const std::string about = fmt::format(kRepackText.about, corpus_prefixes());
  CommandText text = kRepackText;
  text.about = about;
  return {.text = text, .add_options = add_repack_options, .run = run_repack};
}

}  // namespace shardmill::cli
