#include "audio/ffmpeg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "audio/byte_view.hpp"
#include "audio/sndfile.hpp"
#include "base/io/file.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"

namespace shardmill::audio {

namespace {

using std::chrono::milliseconds;

struct Foreign {
  std::string_view kind;       // for messages; empty: not foreign
  std::string_view container;  // in AudioInfo::format
  std::string_view demuxer;    // in ffmpeg: no other may read it, so that no playlist is followed
};

bool has_adts_header(ByteView audio, std::size_t at) {
  return audio.u8(at) == 0xff && (audio.u8(at + 1) & 0xf6) == 0xf0;
}

/// Skips the tags at the start of AAC files.
std::size_t id3_bytes(ByteView audio) {
  if (!audio.has(0, "ID3") || audio.size() < 10) return 0;
  const std::size_t bytes = audio.u8(6) << 21 | audio.u8(7) << 14 | audio.u8(8) << 7 | audio.u8(9);
  return 10 + bytes + ((audio.u8(5) & 0x10) != 0 ? 10 : 0);
}

Foreign foreign(ByteView audio) {
  if (audio.has(4, "ftyp") || audio.has(4, "moov")) return {"MP4 (m4a) audio", "mp4", "mov"};
  if (audio.has(0, "\x1a\x45\xdf\xa3")) {
    const bool is_webm = audio.text(0, 64).find("webm") != std::string_view::npos;
    return {"Matroska or WebM audio", is_webm ? "webm" : "matroska", "matroska"};
  }
  if (audio.has(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11")) return {"Windows Media (wma) audio", "asf", "asf"};
  if (audio.has(0, "#!AMR\n") || audio.has(0, "#!AMR-WB\n")) return {"AMR audio", "amr", "amr"};
  if (audio.has(0, "RIFF") && audio.has(8, "AVI ")) return {"AVI video", "avi", "avi"};
  if (audio.has(0, "FLV\1")) return {"Flash video", "flv", "flv"};
  if (has_adts_header(audio, id3_bytes(audio))) return {"AAC audio", "aac", "aac"};
  constexpr std::size_t kPacket = 188;
  if (audio.u8(0) == 0x47 && audio.u8(kPacket) == 0x47 && audio.u8(2 * kPacket) == 0x47)
    return {"MPEG video", "mpegts", "mpegts"};
  return {};
}

Bytes beginning(const base::File& file) {
  Bytes first(kForeignMagicBytes);
  first.resize(file.read_at(first, 0));
  return first;
}

/// Walks over the frames of AAC and AMR, whose length no header gives: ffmpeg drops a frame that is cut.
class FrameWalk {
 public:
  FrameWalk(const base::File& file, std::string_view container)
      : file_(file), size_(file.size()), is_amr_(container == "amr") {}

  /// The length of the audio. nullopt if there is something else between the frames.
  std::optional<double> seconds() {
    at_ = begin();
    double seconds = 0;
    while (at_ < size_) {
      const std::optional<std::uint64_t> bytes = is_amr_ ? amr_frame(seconds) : adts_frame(seconds);
      if (!bytes) return std::nullopt;
      if (*bytes > size_ - at_) throw CutAudio("it ends inside a frame");
      at_ += *bytes;
    }
    return seconds;
  }

 private:
  ByteView view(std::size_t bytes) {
    constexpr std::size_t kWindowBytes = std::size_t{1} << 18;
    if (at_ < window_at_ || at_ + bytes > window_at_ + window_.size()) {
      window_.resize(kWindowBytes);
      window_at_ = at_;
      window_.resize(file_.read_at(window_, at_));
    }
    return ByteView(window_).from(static_cast<std::size_t>(at_ - window_at_));
  }

  std::uint64_t begin() {
    if (!is_amr_) return id3_bytes(view(10));
    is_wide_ = view(16).has(0, "#!AMR-WB\n");
    return is_wide_ ? 9 : 6;
  }

  std::optional<std::uint64_t> amr_frame(double& seconds) {
    constexpr std::array<std::uint8_t, 16> kNarrow{13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1};
    constexpr std::array<std::uint8_t, 16> kWide{18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1};
    const std::uint32_t mode = view(1).u8(0) >> 3 & 0xf;
    const std::uint8_t bytes = is_wide_ ? kWide[mode] : kNarrow[mode];
    if (bytes == 0) return std::nullopt;
    seconds += 0.02;
    return bytes;
  }

  std::optional<std::uint64_t> adts_frame(double& seconds) {
    constexpr std::array<std::uint32_t, 13> kRates{96000, 88200, 64000, 48000, 44100, 32000, 24000,
                                                   22050, 16000, 12000, 11025, 8000,  7350};
    const ByteView header = view(7);
    if (size_ - at_ < 7) throw CutAudio("it ends inside a frame");
    const std::uint32_t rate = header.u8(2) >> 2 & 0xf;
    const std::uint32_t bytes = (header.u8(3) & 3) << 11 | header.u8(4) << 3 | header.u8(5) >> 5;
    if (!has_adts_header(header, 0) || rate >= kRates.size() || bytes < 7) return std::nullopt;
    seconds += 1024.0 * ((header.u8(6) & 3) + 1) / kRates[rate];
    return bytes;
  }

  const base::File& file_;
  std::uint64_t size_;
  bool is_amr_;
  bool is_wide_ = false;
  std::uint64_t at_ = 0;
  Bytes window_;
  std::uint64_t window_at_ = 0;
};

/// The size that the header of a Windows Media file gives, which ffmpeg does not compare. nullopt if it gives
/// none.
std::optional<std::uint64_t> asf_bytes(const base::File& file) {
  constexpr std::size_t kLookedAt = std::size_t{1} << 16;
  constexpr std::string_view kProperties("\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65",
                                         16);
  Bytes bytes(kLookedAt);
  bytes.resize(file.read_at(bytes, 0));
  const ByteView header(bytes);
  const std::size_t at = header.text(0, header.size()).find(kProperties);
  const bool is_live = at == std::string_view::npos || (header.u8(at + 88) & 1) != 0;
  return is_live ? std::nullopt : std::optional(header.le64(at + 40));
}

std::vector<std::string> command_for(const Foreign& kind, std::string_view encoding) {
  return {"ffmpeg",
          "-nostdin",
          "-hide_banner",
          "-nostats",
          "-loglevel",
          "repeat+level+info",
          "-xerror",
          "-protocol_whitelist",
          "file",
          "-threads",
          "1",
          "-f",
          std::string(kind.demuxer),
          "-i",
          "file:/dev/fd/0",
          "-map",
          "0:a:0",
          "-c:a",
          std::string(encoding),
          "-bitexact",
          "-rf64",
          "auto",
          "-f",
          "wav",
          "-y",
          "file:/dev/fd/1"};
}

/// What ffmpeg says about its input.
struct Report {
  std::string codec{};
  bool is_deep = false;  // more than 16 bits
  bool has_video = false;
  std::optional<double> seconds{};  // of the longest stream
  double start = 0;                 // of the first stream
  std::string complaint{};          // the first error
};

/// "00:01:02.50" -> 62.5.
std::optional<double> read_time(std::string_view text) {
  double seconds = 0;
  for (int field = 0; field < 3; ++field) {
    const std::size_t end = std::min(text.find_first_of(field < 2 ? ":" : ", \n"), text.size());
    const std::string number(text.substr(0, end));
    double value = 0;
    const auto [rest, failure] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (failure != std::errc() || rest != number.data() + number.size()) return std::nullopt;
    seconds = seconds * 60 + value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return seconds;
}

std::string_view after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  return at == line.npos ? std::string_view() : line.substr(at + mark.size());
}

/// "0.478000, bitrate: 63 kb/s" -> 0.478. 0 without a number.
double read_start(std::string_view text) {
  double seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds;
}

Report read_report(std::string_view text) {
  Report report;
  bool is_input = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    is_input = is_input && line.find("Output #0") == line.npos;
    for (const std::string_view level : {"[error] ", "[fatal] ", "[panic] "}) {
      if (const std::string_view words = after(line, level); !words.empty() && report.complaint.empty())
        report.complaint = words;
    }
    if (!is_input) continue;
    if (const std::string_view stream = after(line, " Audio: "); !stream.empty() && report.codec.empty()) {
      report.codec = stream.substr(0, stream.find_first_of(" ,("));
      report.is_deep = stream.find(", s32") != stream.npos;
    }
    report.has_video =
        report.has_video || (line.find(" Video: ") != line.npos && line.find("attached pic") == line.npos);
    if (const std::string_view time = after(line, "Duration: "); !time.empty() && !report.seconds) {
      report.seconds = read_time(time);
      report.start = read_start(after(time, "start: "));
    }
  }
  return report;
}

std::string in_words(std::string_view words) {
  constexpr std::size_t kMost = 300;
  return words.empty() ? std::string() : ": " + printable(words.substr(0, kMost));
}

void check_ending(const base::CommandResult& result, const Report& report, milliseconds limit,
                  std::uint64_t limit_bytes) {
  using End = base::CommandResult::End;
  if (result.end == End::missing || result.end == End::not_started)
    throw NoFfmpeg("ffmpeg " + ending(result, limit));
  if (result.end == End::too_much_output)
    throw Error(fmt::format("ffmpeg makes more than {} of it", base::format_size(limit_bytes)));
  if (result.err.find("No space left on device") != std::string::npos)
    throw FatalError(
        Error("there is no space left for audio that ffmpeg decodes", at(base::scratch_folder())));
  if (result.end == End::out_of_time) {
    throw Error(fmt::format("ffmpeg did not decode it in {}{}",
                            base::format_elapsed(static_cast<double>(limit.count()) / 1000),
                            in_words(report.complaint)));
  }
  if (!result.is_good()) {
    std::string_view words = report.complaint;
    if (words.empty()) words = std::string_view(result.err).substr(0, result.err.find('\n'));
    throw Error(fmt::format("ffmpeg {}{}", ending(result, limit), in_words(words)));
  }
}

/// The length of the audio, as the container gives it for its longest stream.
std::optional<double> told_seconds(const Foreign& kind, const Report& report) {
  const bool counts_from_0 = kind.demuxer == "mov" || kind.demuxer == "matroska" || kind.demuxer == "asf";
  const bool starts_later = report.start > 0 && report.seconds && report.start < *report.seconds;
  if (!counts_from_0 || !starts_later) return report.seconds;
  return *report.seconds - report.start;
}

/// ffmpeg may end well although audio is missing.
void check_length(const Foreign& kind, const base::File& file, const Report& report, const AudioInfo& info) {
  if (!report.complaint.empty() && !report.has_video)
    throw Error("ffmpeg finds it damaged" + in_words(report.complaint));
  if (report.codec.empty()) throw Error("ffmpeg did not say which audio it found");
  if (const auto bytes = kind.container == "asf" ? asf_bytes(file) : std::nullopt; bytes > file.size())
    throw CutAudio(fmt::format("{} bytes of it are missing", *bytes - file.size()));
  const bool has_frames = kind.container == "aac" || kind.container == "amr";
  const bool is_guessed = kind.container == "mpegts" || report.has_video;
  const auto there = has_frames   ? FrameWalk(file, kind.container).seconds()
                     : is_guessed ? std::nullopt
                                  : told_seconds(kind, report);
  constexpr double kPadding = 0.25;  // that decoders remove at the ends
  constexpr double kShare = 0.99;
  if (there && info.seconds() + kPadding < *there * kShare)
    throw CutAudio(fmt::format("ffmpeg decoded {:.2f} s of it, and it has {:.2f} s", info.seconds(), *there));
}

std::atomic<bool>& was_used() {
  static std::atomic<bool> used = false;
  return used;
}

/// Of ffmpeg, when it is asked for its version.
struct Answer {
  std::string version{};  // empty: none answers
  std::string failure{};  // why
};

Answer ask_for_version() {
  constexpr milliseconds kLimit{20'000};
  constexpr std::uint64_t kMostBytes = 1 << 20;
  const base::CommandResult result = base::run_bounded({"ffmpeg", "-version"}, kLimit, kMostBytes);
  if (result.end == base::CommandResult::End::missing) return {.failure = "none is on the PATH"};
  if (!result.is_good())
    return {.failure = "the one on the PATH does not work: ffmpeg -version " + ending(result, kLimit)};
  const std::string_view rest = after(result.out, "ffmpeg version ");
  return {.version = rest.empty() ? "unknown" : printable(rest.substr(0, rest.find_first_of(" \n")))};
}

const Answer& answer() {
  static const Answer known = ask_for_version();
  return known;
}

}  // namespace

std::string_view foreign_kind(std::span<const std::byte> first) {
  return foreign(ByteView(first)).kind;
}

std::string_view foreign_kind(const base::File& file) {
  return foreign_kind(beginning(file));
}

milliseconds ffmpeg_limit(std::uint64_t bytes) {
  constexpr std::uint64_t kAlways = 60'000;
  constexpr std::uint64_t kBytesInAMillisecond = 100;
  return milliseconds(kAlways + bytes / kBytesInAMillisecond);
}

ForeignAudio decode_foreign(const base::File& file, bool in_memory, milliseconds limit) {
  constexpr std::uint64_t kMostInMemory = std::uint64_t{1} << 30;
  constexpr std::uint64_t kMostScratch = std::uint64_t{64} << 30;
  if (ffmpeg_version().empty())
    throw NoFfmpeg("the program ffmpeg decodes it, and " + answer().failure +
                   ": install ffmpeg, or convert it to FLAC first");
  const Foreign kind = foreign(ByteView(beginning(file)));
  const std::uint64_t limit_bytes = in_memory ? kMostInMemory : kMostScratch;
  for (const std::string_view encoding : {"pcm_s16le", "pcm_s24le"}) {
    base::File wav =
        in_memory ? base::memory_file({}, file.path()) : base::scratch_file(base::scratch_folder());
    const base::CommandResult result =
        base::run_between(command_for(kind, encoding), file, wav, limit, limit_bytes);
    const Report report = read_report(result.err);
    check_ending(result, report, limit, limit_bytes);
    if (report.is_deep && encoding == "pcm_s16le") continue;  // ALAC may have 24 bits
    auto info = SndfileStream(wav.duplicate()).info();
    if (!info || info->frames == 0) throw Error("ffmpeg found no audio in it");
    check_length(kind, file, report, *info);
    info->format = kind.container == "aac" ? "aac" : fmt::format("{}/{}", kind.container, report.codec);
    was_used() = true;
    return {.wav = std::move(wav), .info = std::move(*info)};
  }
  throw Error("ffmpeg found no audio in it");
}

std::string used_ffmpeg_version() {
  return was_used().load() ? ffmpeg_version() : std::string();
}

const std::string& ffmpeg_version() {
  return answer().version;
}

const std::string& why_no_ffmpeg() {
  return answer().failure;
}

}  // namespace shardmill::audio
