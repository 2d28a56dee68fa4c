// Options that several commands have: codecs, indexes, numbers, sources, the run, and the training
// (training_options.cpp): its ranks, its loader and its batches.
#pragma once

#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "codec/codec.hpp"
#include "dataset/forms.hpp"
#include "pipeline/mill.hpp"
#include "ranks/ranks.hpp"
#include "shard/keys.hpp"

namespace shardmill::cli {

struct CodecChoice {
  codec::Codec codec = codec::Codec::none;
  std::optional<int> level;
  bool seekable = false;
};

void add_codec_options(CommandLine& line);

/// Throws UsageError for a codec that cannot be written, a level out of its range, and --seekable without
/// zstd.
CodecChoice codec_choice(const CommandLine& line);

/// The words that it accepts, as its help names them.
std::string index_words();

/// The kinds in the value of --index. Throws UsageError for an unknown one.
dataset::Forms index_kinds(const std::string& given);

/// The value of `option`. Throws UsageError unless it is a whole number from `lowest` to `highest`.
std::uint64_t number_of(const CommandLine& line, const std::string& option, std::uint64_t lowest,
                        std::uint64_t highest);

/// "400x" or "400". Throws UsageError.
double times_real_time(const CommandLine& line, const std::string& option);

inline constexpr const char* kKeyRuleWords = "wenet|webdataset";
inline constexpr const char* kKeyRuleHelp =
    "the key of a member is its name up to the last dot (wenet) or up to the first (webdataset)";

void add_key_rule_option(CommandLine& line, const std::string& group);
/// Throws UsageError for an unknown rule.
shard::KeyRule key_rule_choice(const CommandLine& line);

/// --ignore-trailing, for the commands that pass on the plain tar.
void add_ignore_trailing_option(CommandLine& line, const std::string& group);
bool ignores_trailing(const CommandLine& line);

void add_allow_commands_option(CommandLine& line, const std::string& group);
bool allows_commands(const CommandLine& line);

boost::program_options::typed_value<std::string>* text_option(const std::string& name);

/// Whether --memory was given.
pipeline::MemoryBound memory_bound(const CommonOptions& common);

/// The value of --max-rejects: a number, or all. Throws UsageError for anything else.
std::uint64_t parse_max_rejects(const std::string& given);

/// The environment variable SHARDMILL_CHECKPOINT_BYTES makes checkpoints frequent, for tests. Throws
/// UsageError if it is not a size of at least 1.
pipeline::CheckpointInterval checkpoints();

/// The versions of the libraries that only src/cli uses.
base::LibraryVersions library_versions();

/// Adds --world-size, --workers, --loader, --epochs, --seed, the options for batches, and --buckets.
void add_training_options(CommandLine& line);

/// Reads these options. Throws UsageError, also if --world-size is missing.
void read_training(const CommandLine& line, ranks::RanksOptions& options);

/// Calls `set`, whose errors continue the sentence that "--OPTION VALUE" begins.
template <typename Set>
void with_option(std::string_view option, const std::string& value, Set set) {
  try {
    set();
  } catch (const Error& error) {
    throw UsageError(fmt::format("--{} {} {}", option, printable(value), error.problem()), {},
                     error.advice());
  }
}

}  // namespace shardmill::cli
