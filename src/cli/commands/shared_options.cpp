#include "cli/commands/shared_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <boost/version.hpp>
#include <charconv>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

std::string level_help() {
  std::string text = "compression level (and its default):";
  char separator = ' ';
  for (const codec::Codec each : codec::kAllCodecs) {
    const auto range = codec::levels(each);
    if (!range || range->lowest == range->highest) continue;
    text += fmt::format("{}{} {}..{} ({})", separator == ' ' ? " " : ", ", codec::name(each), range->lowest,
                        range->highest, range->standard);
    separator = ',';
  }
  return text;
}

}  // namespace

void add_codec_options(CommandLine& line) {
  line.group("Output")  //
      ("codec", po::value<std::string>()->value_name("none|zstd|lz4|gzip")->default_value("none"),
       "compression of the shards")                                       //
      ("level", po::value<int>()->value_name("L"), level_help().c_str())  //
      ("seekable", "zstd only: independent frames and a seek table instead of one frame");
}

CodecChoice codec_choice(const CommandLine& line) {
  CodecChoice choice;
  const std::string name = line.text("codec");
  const auto codec = codec::codec_by_name(name);
  if (!codec || !codec::levels(*codec)) {
    throw UsageError(fmt::format("--codec {} cannot be written", printable(name)), {},
                     "give none, zstd, lz4 or gzip");
  }
  choice.codec = *codec;
  choice.seekable = line.has("seekable");
  if (choice.seekable && *codec != codec::Codec::zstd) throw UsageError("--seekable needs --codec zstd");
  if (!line.has("level")) return choice;
  choice.level = line.number("level");
  const auto range = *codec::levels(*codec);
  if (*choice.level < range.lowest || *choice.level > range.highest || range.lowest == range.highest) {
    const std::string advice = range.lowest == range.highest
                                   ? fmt::format("{} has no levels", name)
                                   : fmt::format("{} takes {} to {}", name, range.lowest, range.highest);
    throw UsageError(fmt::format("--level {} does not fit --codec {}", *choice.level, name), {}, advice);
  }
  return choice;
}

std::string index_words() {
  return several_of(dataset::all_forms());
}

dataset::Forms index_kinds(const std::string& given) {
  const auto kinds = dataset::forms_named(given);
  if (!kinds) {
    std::string words;
    for (const dataset::LoaderForm& form : dataset::all_forms()) {
      if (!words.empty()) words += ", ";
      words += form.name;
    }
    throw UsageError(fmt::format("--index {} is unknown", printable(given)), {},
                     fmt::format("give {} or several of them with commas", words));
  }
  return *kinds;
}

std::uint64_t number_of(const CommandLine& line, const std::string& option, std::uint64_t lowest,
                        std::uint64_t highest) {
  const auto number = base::number_in<std::uint64_t>(line.text(option));
  if (!number || *number < lowest || *number > highest) {
    throw UsageError(fmt::format("--{} {} is out of range", option, printable(line.text(option))), {},
                     highest == UINT64_MAX
                         ? fmt::format("give a whole number, {} or more", lowest)
                         : fmt::format("give a whole number from {} to {}", lowest, highest));
  }
  return *number;
}

double times_real_time(const CommandLine& line, const std::string& option) {
  const std::string given = line.text(option);
  std::string_view digits = given;
  if (digits.ends_with('x')) digits.remove_suffix(1);
  double rate = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), rate, std::chars_format::fixed);
  if (failure != std::errc{} || end != digits.data() + digits.size() || !(rate > 0) || rate > 1e9) {
    throw UsageError(fmt::format("--{} {} is not a rate", option, printable(given)), {},
                     "write it like 400x: 400 seconds of audio a second");
  }
  return rate;
}

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

po::typed_value<std::string>* text_option(const std::string& name) {
  return po::value<std::string>()->value_name(name);
}

pipeline::MemoryBound memory_bound(const CommonOptions& common) {
  return common.is_memory_given ? pipeline::MemoryBound::given : pipeline::MemoryBound::standard;
}

std::uint64_t parse_max_rejects(const std::string& given) {
  if (given == "all") return repack::kAnyNumber;
  const auto number = base::count_in(given);
  if (!number) throw UsageError(fmt::format("--max-rejects {} is not a number", printable(given)));
  return *number;
}

pipeline::CheckpointInterval checkpoints() {
  pipeline::CheckpointInterval interval;
  if (const char* text = std::getenv("SHARDMILL_CHECKPOINT_BYTES")) {
    interval.input_bytes = base::parse_size(text);
    if (interval.input_bytes == 0) throw UsageError("SHARDMILL_CHECKPOINT_BYTES must be at least 1");
  }
  return interval;
}

base::LibraryVersions library_versions() {
  std::string boost = BOOST_LIB_VERSION;  // "1_74"
  std::replace(boost.begin(), boost.end(), '_', '.');
  return {{"boost_program_options", boost}};
}

}  // namespace shardmill::cli
