#include "cli/commands/repack_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "cli/commands/doctor_command.hpp"
#include "cli/commands/number_options.hpp"
#include "cli/commands/repack_parts.hpp"
#include "cli/commands/repack_recipe.hpp"
#include "cli/commands/repack_split.hpp"
#include "cli/commands/run_options.hpp"
#include "cli/commands/source_options.hpp"
#include "cli/output/repack_summary.hpp"
#include "cli/output/shard_advice_text.hpp"
#include "cli/terminal/console.hpp"
#include "commands/repack.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kRepackText{
    .name = "repack",
    .summary = "the main job: read, mix, balance and write shards, and record what is in them",
    .operands = "[NAME=]SOURCE... --out DIR [OPTION...]",
    .about =
        R"(Reads samples from shards of any compression, mixes the datasets in proportion to their size, and writes
shards that all hold the same number of samples and the same audio time, with manifests beside them.
A SOURCE is a shard, a folder of shards, a list file or a quoted glob pattern; or a raw corpus: kaldi:DIR,
wenet:FILE, nemo:FILE, audio:DIR (files with .txt or .json beside them); or a corpus as it was published, as a
folder, an archive or a folder of archives: aidatatang:, aishell:, aishell2:, aishell3:, aishell4:, alimeeting:,
an4:, arctic:, commonvoice:, fleurs:, gigaspeech:, jsut:, kespeech:, librispeech:, libritts:, ljspeech:,
magicdata:, mls:, peoplesspeech:, primewords:, spgispeech:, stcmds:, tedlium:, thchs30:, timit:, vctk:,
voxpopuli:, wenetspeech:, zeroth:; or a finished dataset, dataset:DIR, of which all fields are kept (a NAME
replaces the names of its datasets). All are mostly told by what is in them, without the prefix. Sources with
the same NAME are one dataset. Interrupted or killed, the same command goes on where it stopped; on a finished DIR it says so and does nothing.)",
    .example = R"(  shardmill repack aishell2=a2/*.tar.bz2 librispeech=libri/ --out mixed --shards 64
  shardmill repack data.list --out mixed --shard-duration 1h --multiple-of 32 --codec zstd)"};

constexpr const char* kMaxRejectsHelp =
    R"(with skip: more than N samples left out for errors make the exit code 3, and so does a source file that was not read whole when nobody knows how many samples it lost. This stays so when the command runs again, and dataset.json is dated 1970, so that make does not take it for done. all: no limit)";

constexpr const char* kMd5Help =
    "of a corpus in its archive: stop where the archive's MD5 is another (for several archives, give it "
    "several "
    "times; md5sum.txt and ARCHIVE.md5 beside an archive are looked into without it)";

void add_repack_options(CommandLine& line) {
  add_sizing_options(line);
  line.group("How many shards")  //
      ("ranks", text_option("N"),
       "only for advice, which changes nothing: how many ranks will train (default: 8, with --dry-run)")  //
      ("workers", text_option("K"),
       "the same: loader workers of each rank (default: 4); shards that suit them, and a warning where a "
       "number "
       "that was chosen leaves small shards or idle workers");
  line.group("What is written")  //
      ("out", text_option("DIR"), "folder for the dataset, made where missing (required)");
  add_recipe_options(line);
  add_allow_commands_option(line, "Which samples");
  line.group("Which samples")  //
      ("md5", po::value<std::vector<std::string>>()->value_name("HEX")->composing(), kMd5Help);
  add_split_options(line);
  line.group("Trouble")  //
      ("max-rejects", text_option("N|all")->default_value("0"), kMaxRejectsHelp);
  line.group("Running")                                                         //
      ("dry-run", "plan and estimate, write nothing")                           //
      ("force", "start over, and replace what is in DIR")                       //
      ("wait", "wait while another run works in DIR, then find its work done")  //
      ("ignore-free-space",
       "begin also where the filesystem has less room than the estimate says is needed")  //
      ("depfile", text_option("FILE"), "for make: writes what DIR/dataset.json depends on, when it is there");
  add_parts_options(line);
}

/// `plan`: what --plan-for says, whose ranks and workers are those that the advice is for.
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
    throw UsageError("--ranks or --workers says something else than --plan-for", {},
                     "leave them out: the advice is then for the ranks and workers of --plan-for");
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
      throw UsageError(fmt::format("--md5 {} is no MD5", printable(digest)), {},
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
  options.libraries = library_versions();
}

namespace {

int run_repack(const CommandLine& line) {
  if (speaks_of_split(line)) return run_split(line);
  if (speaks_of_parts(line)) return run_parts(line);
  const CommonOptions common = line.common();
  const repack::RepackOptions options = repack_options_of(line);
  Console console(kRepackText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes, memory_bound(common));
  const repack::RepackSummary summary = commands::run_repack(options, workers, console);
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
  return {.text = kRepackText, .add_options = add_repack_options, .run = run_repack};
}

}  // namespace shardmill::cli
