#include <fmt/format.h>

#include "base/system/process.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "check/verification.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/terminal/console.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kVerifyText{
    .name = "verify",
    .summary = "prove that a dataset, or any shards, are whole and undamaged",
    .operands = "DIR | SHARD... [OPTION...]",
    .about =
        R"(In the folder of a finished dataset, checks the size and SHA-256 of every file; every shard up to its end
blocks; every member against the manifests, by hash; and all records against each other. Other shards
must be readable to the end, with whole samples and sound audio headers. Lists all problems, damaged
files first; a problem never stops the check of the rest. With any finding the exit code is 1; notes do
not count. Of a dataset at s3://BUCKET/PREFIX the shards are not read, but compared with the checksums that
the server keeps; --decode and --against read them. --json lists the damaged shards as "bad_shards".)",
    .example =
        "  shardmill verify mixed\n"
        "  shardmill verify s3://bucket/mixed\n"
        "  shardmill verify mixed --allowed-signers ~/.ssh/allowed_signers\n"
        "  shardmill verify mixed --decode --against aishell2=a2/ librispeech=libri/\n"
        "  shardmill verify zstd/ --against bz2/ --json > verify.json"};

void add_verify_options(CommandLine& line) {
  line.group("What is checked")  //
      ("decode", "decode all audio, and check its exact length, silence, and values that are not numbers")(
          "against",
          po::value<std::vector<std::string>>()->value_name("[NAME=]SOURCE...")->multitoken()->composing(),
          "the sources: each of their samples must be there once and unchanged, or be listed as left out; "
          "nothing else")(
          "allowed-signers", po::value<std::string>()->value_name("FILE"),
          "the dataset must be signed by a key in FILE: SHA256SUMS.sig is checked with ssh-keygen -Y verify");
  line.group("Output")("all", "list every finding, not only some for each file");
  add_allow_commands_option(line, "What is checked");
}

std::string_view name(Finding::Severity severity) {
  return severity == Finding::Severity::note ? "note" : "finding";
}

std::string as_json(const check::VerifySummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("kind", summary.is_dataset ? "dataset" : "shards");
  json.member("good", summary.count(Finding::Severity::finding) == 0);
  json.member("findings", summary.count(Finding::Severity::finding))
      .member("notes", summary.count(Finding::Severity::note));
  json.member("shards", summary.shards).member("samples", summary.samples);
  json.member("with_text", summary.with_text).member("doubtful_samples", summary.doubtful_samples);
  json.member("audio_seconds", summary.audio_seconds).member("bytes", summary.bytes);
  if (summary.kept) {
    json.key("files_by").begin_object().member("checksum", summary.kept->by_sum);
    json.member("tag", summary.kept->by_tag).member("size", summary.kept->by_size);
    json.member("reading", summary.kept->read).end_object();
  }
  json.member("source_samples", summary.source_samples).member("seconds", summary.seconds);
  json.key("bad_shards").begin_array();
  for (const std::string& shard : summary.bad_shards()) json.value(shard);
  json.end_array().key("list").begin_array();
  for (const Finding& finding : summary.findings) {
    json.begin_object().member("severity", name(finding.severity)).member("file", finding.where.path);
    if (!finding.where.member.empty()) json.member("member", finding.where.member);
    if (finding.where.block) json.member("block", *finding.where.block);
    if (finding.where.offset) json.member("offset", *finding.where.offset);
    if (finding.tar_offset) json.member("tar_offset", *finding.tar_offset);
    if (finding.is_cause) json.member("cause", true);
    json.member("what", finding.what);
    const auto repair = summary.repairs.find(finding.where.path);
    if (repair != summary.repairs.end() && finding.severity == Finding::Severity::finding) {
      json.member("repair", repair->second.from.empty() ? "none" : repair->second.from);
      if (!repair->second.why.empty()) json.member("why_not", repair->second.why);
    }
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

int run_verify(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no DIR or SHARD given", {}, "see shardmill verify --help");
  const CommonOptions common = line.common();
  const check::VerifyOptions options{.targets = line.operands(),
                                     .decode = line.has("decode"),
                                     .against = line.texts("against"),
                                     .allowed_signers = line.optional_text("allowed-signers").value_or(""),
                                     .allow_commands = allows_commands(line)};
  Console console(kVerifyText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = check::run_verify(options, workers, console);
  console.end_progress();
  const bool good = summary.count(Finding::Severity::finding) == 0;
  const std::string verdict = verify_verdict(summary, options.targets);
  if (common.json) {
    fmt::print("{}\n", as_json(summary));
    if (!common.quiet || !good) base::write_to_standard_error(fmt::format("shardmill verify: {}\n", verdict));
  } else if (!common.quiet || !good) {
    fmt::print("{}{}\n", verify_text(summary, line.has("all")), verdict);
  }
  return good ? kExitDone : kExitFailed;
}

}  // namespace

Command verify_command() {
  return {.text = kVerifyText, .add_options = add_verify_options, .run = run_verify};
}

}  // namespace shardmill::cli
