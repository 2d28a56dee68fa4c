// Audio that libsndfile does not read, such as m4a: the program ffmpeg decodes it, if there is one on the
// PATH.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// The name of a format that only ffmpeg decodes, as "MP4 (m4a) audio"; empty for any other. `first`: its
/// first bytes.
std::string_view foreign_kind(std::span<const std::byte> first);
std::string_view foreign_kind(const base::File& file);

/// How many first bytes foreign_kind() needs.
inline constexpr std::size_t kForeignMagicBytes = 1024;

struct ForeignAudio {
  base::File wav;  // a scratch file with a true header
  AudioInfo info;  // its format is that of the original: "mp4/aac"
};

/// It ended too early.
class CutAudio : public Error {
 public:
  using Error::Error;
};

/// There is no ffmpeg.
class NoFfmpeg : public Error {
 public:
  using Error::Error;
};

/// The longest that ffmpeg may take for a file of `bytes`.
std::chrono::milliseconds ffmpeg_limit(std::uint64_t bytes);

/// Decodes the first audio stream of a regular file or a file in memory whose format foreign_kind() names.
/// The WAV lies in memory if `in_memory`, else in a scratch file. Throws Error, without a place, if ffmpeg is
/// missing, fails, takes longer than `limit`, complains, or decodes less than there is. Thread-safe. The
/// result depends on the bytes and the version of ffmpeg.
ForeignAudio decode_foreign(const base::File& file, bool in_memory, std::chrono::milliseconds limit);

/// "5.1.6-0+deb12u1"; empty if there is no ffmpeg that runs. Asks once.
const std::string& ffmpeg_version();
/// "none is on the PATH", or how the one that is there fails; empty if one runs.
const std::string& why_no_ffmpeg();
/// The same, but empty as long as nothing was decoded with it.
std::string used_ffmpeg_version();

}  // namespace shardmill::audio
