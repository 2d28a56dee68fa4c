#include "cli/commands/source_options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

void add_key_rule_option(CommandLine& line, const std::string& group) {
  line.group(group)  //
      ("key-rule", po::value<std::string>()->value_name(kKeyRuleWords)->default_value("wenet"), kKeyRuleHelp);
}

shard::KeyRule key_rule_choice(const CommandLine& line) {
  const std::string given = line.text("key-rule");
  const auto rule = shard::key_rule_by_name(given);
  if (!rule) {
    throw UsageError(fmt::format("--key-rule {} is unknown", printable(given)), {},
                     "give wenet or webdataset");
  }
  return *rule;
}

void add_ignore_trailing_option(CommandLine& line, const std::string& group) {
  line.group(group)  //
      ("ignore-trailing",
       "ignore bytes after the last stream of a compressed file; without this, anything but zeros is damage");
}

bool ignores_trailing(const CommandLine& line) {
  return line.has("ignore-trailing");
}

void add_allow_commands_option(CommandLine& line, const std::string& group) {
  line.group(group)  //
      ("allow-commands",
       "run the shell commands that a wav.scp names instead of audio files (\"sox ... |\")");
}

bool allows_commands(const CommandLine& line) {
  return line.has("allow-commands");
}

}  // namespace shardmill::cli
