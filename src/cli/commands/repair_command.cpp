#include <fmt/format.h>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/terminal/console.hpp"
#include "repair/repair.hpp"

namespace shardmill::cli {

namespace {

constexpr CommandText kRepairText{
    .name = "repair",
    .summary = "make missing and damaged files of a dataset again, byte for byte",
    .operands = "DIR [OPTION...]",
    .about =
        R"(Finds the missing and damaged files of a dataset that repack made, and makes only those again:
  from parity   if repack --parity K wrote parity files: any K files of a group
  from files    files that follow from others of the dataset, such as data.list or an index
  from sources  shards, packed again from the sources that their manifests name; no other source is read
A file is replaced only by one with the recorded checksum, so nothing gets worse, even if repair is killed.
Files that cannot be repaired are listed, and the exit code is 1.)",
    .example =
        "  shardmill repair mixed\n"
        "  shardmill repair mixed --dry-run",
    .instead_of_address =
        "repair a copy on a disk, and send the files that were repaired; or make the dataset again with its "
        "repack command and --force"};

void add_repair_options(CommandLine& line) {
  line.group("What is done")("dry-run",
                             "list the files that would be made again, and from what; write nothing");
  add_allow_commands_option(line, "What is done");
}

std::string as_json(const repair::RepairSummary& summary, const repair::RepairOptions& options) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("folder", options.folder).member("dry_run", options.dry_run);
  json.member("good", summary.beyond.empty() && (!options.dry_run || summary.repaired.empty()));
  json.member("files", summary.files).member("bytes", summary.bytes).member("seconds", summary.seconds);
  json.key("repaired").begin_array();
  for (const auto& file : summary.repaired)
    json.begin_object().member("file", file.name).member("from", name(file.from)).end_object();
  json.end_array().key("not_repaired").begin_array();
  for (const auto& [file, why] : summary.beyond)
    json.begin_object().member("file", file).member("why", why).end_object();
  json.end_array().end_object();
  return text;
}

std::string as_text(const repair::RepairSummary& summary, const repair::RepairOptions& options) {
  std::string text;
  for (const auto& file : summary.repaired) {
    text += fmt::format("{}: {} from {}\n", printable(file.name),
                        options.dry_run ? "can be made again" : "made again", name(file.from));
  }
  for (const auto& [file, why] : summary.beyond)
    text += fmt::format("{}: not repaired: {}\n", printable(file), printable(why));
  const std::string verdict =
      summary.repaired.empty() && summary.beyond.empty()
          ? "nothing to repair"
          : fmt::format("{} {}, {} not", base::format_count(summary.repaired.size(), "file"),
                        options.dry_run ? "can be repaired" : "repaired",
                        base::format_count(summary.beyond.size()));
  return text + fmt::format("{}: {}, {} checked in {}: {}\n", printable(options.folder),
                            base::format_count(summary.files, "file"), base::format_size(summary.bytes),
                            base::format_elapsed(summary.seconds), verdict);
}

int run_repair(const CommandLine& line) {
  if (line.operands().size() != 1) throw UsageError("give one DIR", {}, "see shardmill repair --help");
  const CommonOptions common = line.common();
  const repair::RepairOptions options{.folder = line.operands().front(),
                                      .dry_run = line.has("dry-run"),
                                      .allow_commands = allows_commands(line),
                                      .command = line.as_typed()};
  Console console(kRepairText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = repair::run_repair(options, workers, console);
  console.end_progress();
  const bool good = summary.beyond.empty();
  if (common.json) {
    fmt::print("{}\n", as_json(summary, options));
  } else if (!common.quiet || !good) {
    fmt::print("{}", as_text(summary, options));
  }
  return good ? kExitDone : kExitFailed;
}

}  // namespace

Command repair_command() {
  return {.text = kRepairText, .add_options = add_repair_options, .run = run_repair};
}

}  // namespace shardmill::cli
