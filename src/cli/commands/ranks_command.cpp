#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/terminal/console.hpp"
#include "doctor/compare.hpp"
#include "ranks/ranks.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMostSubBuckets = 10'000;

constexpr CommandText kRanksText{
    .name = "ranks",
    .summary = "show how much each training rank gets, and write shard lists that are equal for all",
    .operands = "DIR | [NAME=]SOURCE... --world-size W[,W...] [OPTION...]",
    .about =
        R"(Splits the shards among ranks as WeNet, WebDataset, NeMo and Lhotse do, with their shuffles. Shows how
much audio each rank and each loader worker gets, how long ranks wait for each other, and which shards
no rank reads. Also writes a list of shards for each rank, as even as the shards allow. In a DIR that
repack made, here or in a bucket, only the records are read; other shards are read from end to end.
Equal audio does not mean equal steps: with --batch, --batch-frames, --batch-buckets or --batch-duration
the command counts the steps of each rank, the padding, and how long ranks wait at each step.
With --need it also shows whether the loader workers keep the trainers busy.)",
    .example =
        "  shardmill ranks mixed --world-size 1,2,4,8,16,64 --workers 4\n"
        "  shardmill ranks data.list --world-size 8 --loader wenet --need 400x\n"
        "  shardmill ranks bz2/ --world-size 8 --out lists --json > ranks.json",
    .first = "world-size workers loader batch batch-frames batch-duration need out dry-run",
    .instead_of_out_address = "write the lists into a folder, and send that"};

void add_ranks_options(CommandLine& line) {
  add_training_options(line);
  line.group("Buckets")  //
      ("sub-buckets", po::value<std::string>()->value_name("N"),
       "divide each bucket into N by the length of the transcripts; 2 is usual")  //
      ("tokens", po::value<std::string>()->value_name("FIELD"),
       "field of the manifests with the tokens of a sample or their number (default: characters of text)");
  line.group("Speed")  //
      ("need", po::value<std::string>()->value_name("RATE"),
       "audio that the trainer of one rank consumes, in times real time: 400x is 400 s of audio a second")  //
      ("supply", po::value<std::string>()->value_name("RATE")->default_value("measured"),
       "what one loader worker delivers: 480x, or a FILE of doctor --training --measure --json; measured: "
       "decoding alone");
  line.group("Output")  //
      ("out", po::value<std::string>()->value_name("DIR"),
       "folder for the lists (default: ranks/ in a dataset on this machine, none for other shards)")  //
      ("list-root", po::value<std::string>()->value_name("PATH"),
       "the folder that lists name as the parent of shards/ (default: repack's --list-root, or else DIR)")  //
      ("dry-run", "write nothing");
}

void read_sub_buckets(const CommandLine& line, ranks::RanksOptions& options) {
  if (line.has("sub-buckets")) {
    options.sub_buckets = number_of(line, "sub-buckets", 1, kMostSubBuckets);
    if (options.buckets == 0)
      throw UsageError("--sub-buckets has no effect without --buckets", {}, "also give --buckets 30");
    if (options.batching && options.batching->by == deal::Batching::By::duration)
      throw UsageError("--sub-buckets cannot be combined with --batch-duration", {},
                       "steps are counted only for buckets by duration");
  }
  if (line.has("tokens")) {
    options.token_field = line.text("tokens");
    if (options.sub_buckets == 0) throw UsageError("--tokens has no effect without --sub-buckets");
    if (options.token_field.empty()) throw UsageError("--tokens names no field");
  }
}

ranks::RanksOptions ranks_options_of(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no DIR or SOURCE given", {}, "see shardmill ranks --help");
  ranks::RanksOptions options;
  options.targets = line.operands();
  read_training(line, options);
  read_sub_buckets(line, options);
  if (line.has("need")) options.needed = times_real_time(line, "need");
  if (line.text("supply") != "measured") {
    if (!options.needed) throw UsageError("--supply has no effect without --need RATE");
    if (base::exists(line.text("supply"))) {
      options.recorded_speeds = doctor::read_loader_speeds(line.text("supply"));
    } else {
      options.worker_speed = times_real_time(line, "supply");
    }
  }
  options.out_folder = line.optional_text("out").value_or("");
  options.list_root = line.optional_text("list-root").value_or("");
  options.dry_run = line.has("dry-run");
  options.command = line.as_typed();
  return options;
}

int run_ranks(const CommandLine& line) {
  const CommonOptions common = line.common();
  const ranks::RanksOptions options = ranks_options_of(line);
  Console console(kRanksText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const ranks::RanksSummary summary = ranks::run_ranks(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", ranks_as_json(summary, options));
  } else if (!common.quiet) {
    fmt::print("{}", ranks_as_text(summary, options, terminal_glyphs()));
  }
  return kExitDone;
}

}  // namespace

Command ranks_command() {
  return {.text = kRanksText, .add_options = add_ranks_options, .run = run_ranks};
}

}  // namespace shardmill::cli
