#include <fmt/format.h>

#include <filesystem>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/terminal/console.hpp"
#include "convert/conversion.hpp"
#include "repack/depfile.hpp"
#include "source/source_set.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

using ShardOutcome = convert::ConvertedShard::Outcome;

constexpr CommandText kConvertText{
    .name = "convert",
    .summary = "change the compression of shards: one file in, one file out",
    .operands = "SOURCE... --out DIR [OPTION...]",
    .about = R"(Writes each shard to DIR under the same name with a new suffix; the tar inside stays the same,
byte for byte. A SOURCE is a shard, a folder of shards, a list file or a quoted glob pattern.
Skips shards whose result is up to date, so a second run costs nothing. A result that was changed
by hand is replaced only with --force. DIR/.shardmill records the source of each result.
A shard whose compression is damaged is reported and gets no result; the others are still
converted, and the exit code is 1. The tar inside is not checked: verify does that.)",
    .example =
        "  shardmill convert bz2/*.tar.bz2 --out plain\n"
        "  shardmill convert bz2/ --out zst --codec zstd --level 6 -j 8",
    .instead_of_out_address =
        "convert into a folder, and send that; or make a dataset there: shardmill repack SOURCE... --codec C "
        "--out {}"};

void add_convert_options(CommandLine& line) {
  line.group("Output")  //
      ("out", po::value<std::string>()->value_name("DIR"),
       "folder for the results; it is created if it is missing (required)");
  add_codec_options(line);
  add_ignore_trailing_option(line, "What is read");
  line.group("Running")                                                                            //
      ("force", "also convert shards that are up to date, and replace results that were changed")  //
      ("ignore-free-space", "begin even if the disk seems too small")                              //
      ("depfile", po::value<std::string>()->value_name("FILE"),
       "for make: write which result depends on which shard, if all succeeded");
}

std::string_view outcome_name(ShardOutcome outcome) {
  switch (outcome) {
    case ShardOutcome::converted:
      return "converted";
    case ShardOutcome::up_to_date:
      return "up_to_date";
    case ShardOutcome::failed:
      break;
  }
  return "failed";
}

std::string as_json(const convert::ConvertSummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object()
      .member("converted", summary.count(ShardOutcome::converted))
      .member("up_to_date", summary.count(ShardOutcome::up_to_date))
      .member("failed", summary.count(ShardOutcome::failed))
      .member("seconds", summary.seconds);
  json.key("shards").begin_array();
  for (const auto& shard : summary.shards) {
    json.begin_object()
        .member("source", std::string_view(shard.source))
        .member("result", std::string_view(shard.result))
        .member("outcome", outcome_name(shard.outcome))
        .member("source_bytes", shard.source_bytes)
        .member("plain_bytes", shard.plain_bytes)
        .member("result_bytes", shard.result_bytes);
    if (!shard.problem.empty()) json.member("problem", std::string_view(shard.problem));
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

std::string as_text(const convert::ConvertSummary& summary) {
  std::uint64_t source_bytes = 0;
  std::uint64_t result_bytes = 0;
  for (const auto& shard : summary.shards) {
    if (shard.outcome != ShardOutcome::converted) continue;
    source_bytes += shard.source_bytes;
    result_bytes += shard.result_bytes;
  }
  std::string text =
      fmt::format("{} converted, {} up to date, {} failed", summary.count(ShardOutcome::converted),
                  summary.count(ShardOutcome::up_to_date), summary.count(ShardOutcome::failed));
  if (source_bytes != 0) {
    text += fmt::format("; {} in, {} out, {:.1f} s, {}/s in", base::format_size(source_bytes),
                        base::format_size(result_bytes), summary.seconds,
                        base::format_size(static_cast<std::uint64_t>(static_cast<double>(source_bytes) /
                                                                     std::max(summary.seconds, 1e-3))));
  }
  return text;
}

std::vector<std::string> paths_of(const source::SourceSet& sources) {
  std::vector<std::string> paths;
  for (const auto& dataset : sources.datasets) {
    for (const auto& file : dataset.files) paths.push_back(file.path);
  }
  for (const source::Unusable& unusable : sources.unusable) paths.push_back(unusable.error.where().path);
  return paths;
}

/// Rules for make: which result depends on which shard. Empty without --depfile.
std::string dependencies(const std::string& depfile, const convert::ConvertOptions& options) {
  if (depfile.empty()) return {};
  const std::vector<std::string> results = convert::converted_paths(options);
  std::vector<repack::MakeRule> rules;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    rules.push_back({.target = results[i], .prerequisites = {options.shards[i]}});
    names.push_back(std::filesystem::path(results[i]).filename().string());
  }
  repack::check_depfile(depfile, rules, {.folder = options.out_folder, .names = names});
  return repack::make_rules(rules);
}

int run_convert(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no SOURCE given", {}, "see shardmill convert --help");
  if (!line.has("out")) throw UsageError("--out DIR is missing", {}, "see shardmill convert --help");
  const CommonOptions common = line.common();
  const CodecChoice choice = codec_choice(line);
  const source::SourceSet sources =
      source::find_sources(line.operands(), {.on_unusable = source::OnUnusable::collect, .corpora = false});
  source::check_not_searched(line.text("out"), sources);
  convert::ConvertOptions options{.shards = paths_of(sources),
                                  .out_folder = line.text("out"),
                                  .codec = choice.codec,
                                  .level = choice.level,
                                  .seekable = choice.seekable,
                                  .force = line.has("force"),
                                  .ignore_free_space = line.has("ignore-free-space"),
                                  .ignore_trailing = ignores_trailing(line)};
  // This comes before the work, because it refuses a depfile that is not ours and names that make cannot
  // read.
  const std::string depfile = line.optional_text("depfile").value_or("");
  const std::string rules = dependencies(depfile, options);
  Console console(kConvertText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = convert::run_convert(options, workers, console);
  console.end_progress();
  if (!rules.empty() && summary.count(ShardOutcome::failed) == 0) repack::write_depfile(depfile, rules);
  if (common.json) {
    fmt::print("{}\n", as_json(summary));
  } else if (!common.quiet) {
    fmt::print("{}\n", as_text(summary));
  }
  return summary.count(ShardOutcome::failed) == 0 ? kExitDone : kExitFailed;
}

}  // namespace

Command convert_command() {
  return {.text = kConvertText, .add_options = add_convert_options, .run = run_convert};
}

}  // namespace shardmill::cli
