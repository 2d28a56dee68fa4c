#include <unistd.h>

#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/terminal/console.hpp"
#include "convert/cat.hpp"

namespace shardmill::cli {

namespace {

constexpr CommandText kCatText{
    .name = "cat",
    .summary = "write a shard as plain tar, or one of its members, to standard output",
    .operands = "SHARD [KEY[.EXT]]",
    .about =
        R"(Writes the plain tar inside SHARD, whatever its compression; it is decoded by all threads if its
form allows that. SHARD may be - for standard input. With KEY.EXT, only the bytes of that member are
written; with KEY, the audio of that sample, or its only member.)",
    .example =
        "  shardmill cat train_0001.tar.bz2 | tar t\n"
        "  shardmill cat train_0001.tar.bz2 BAC009S0002W0122.wav > utterance.wav"};

void add_cat_options(CommandLine& line) {
  add_ignore_trailing_option(line, "What is read");
}

int run_cat(const CommandLine& line) {
  const auto& operands = line.operands();
  if (operands.empty() || operands.size() > 2) {
    throw UsageError("cat takes one SHARD and at most one KEY", {}, "see shardmill cat --help");
  }
  if (line.has("json")) throw UsageError("cat writes bytes and has no --json");
  CommonOptions common = line.common();
  if (common.progress == ProgressMode::automatic) common.progress = ProgressMode::none;
  const convert::CatOptions options{.shard = operands[0],
                                    .member = operands.size() == 2 ? operands[1] : "",
                                    .ignore_trailing = ignores_trailing(line)};
  base::File out = base::File::standard_output();
  if (options.member.empty() && ::isatty(out.descriptor()) == 1) {
    throw UsageError("a tar cannot be shown on a terminal", {}, "pipe it on: shardmill cat SHARD | tar t");
  }
  Console console(kCatText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  convert::run_cat(options, out, workers, console);
  return kExitDone;
}

}  // namespace

Command cat_command() {
  return {.text = kCatText, .add_options = add_cat_options, .run = run_cat};
}

}  // namespace shardmill::cli
