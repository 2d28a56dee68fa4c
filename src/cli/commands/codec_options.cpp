#include "cli/commands/codec_options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

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

}  // namespace shardmill::cli
