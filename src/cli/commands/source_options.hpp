// --key-rule, --ignore-trailing and --allow-commands: how sources are read.
#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "shard/keys.hpp"

namespace shardmill::cli {

inline constexpr const char* kKeyRuleWords = "wenet|webdataset";
inline constexpr const char* kKeyRuleHelp =
    "which part of a member's name in a shard is the key: wenet (up to the last dot), webdataset (up to the "
    "first)";

void add_key_rule_option(CommandLine& line, const std::string& group);
/// Throws UsageError for an unknown rule.
shard::KeyRule key_rule_choice(const CommandLine& line);

/// --ignore-trailing, for the commands that pass on the plain tar.
void add_ignore_trailing_option(CommandLine& line, const std::string& group);
bool ignores_trailing(const CommandLine& line);

void add_allow_commands_option(CommandLine& line, const std::string& group);
bool allows_commands(const CommandLine& line);

}  // namespace shardmill::cli
