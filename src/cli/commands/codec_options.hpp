// --codec, --level and --seekable: shared by the commands that write shards.
#pragma once

#include <optional>

#include "cli/command_line.hpp"
#include "codec/codec.hpp"

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

}  // namespace shardmill::cli
