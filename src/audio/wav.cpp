#include "audio/wav.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "audio/byte_view.hpp"
#include "audio/containers.hpp"
#include "audio/sndfile.hpp"

namespace shardmill::audio {

namespace {

constexpr std::uint32_t kPcm = 1;
constexpr std::uint32_t kFloat = 3;
constexpr std::uint32_t kAlaw = 6;
constexpr std::uint32_t kMulaw = 7;
constexpr std::uint32_t kExtensible = 0xfffe;
constexpr std::size_t kRiffSizeAt = 4;
struct Chunks {
  std::optional<std::size_t> format;  // where the contents of "fmt " begin
  std::optional<std::size_t> data;
  std::optional<std::size_t> large_sizes;  // where the contents of RF64's "ds64" begin
  std::optional<std::size_t> fact;
  std::uint64_t data_bytes = 0;
  bool cut = false;          // the bytes end inside a chunk before the data
  bool two_formats = false;  // two "fmt " before the data
};

Chunks find_chunks(ByteView audio) {
  Chunks chunks;
  std::uint64_t at = 12;
  while (at + 8 <= audio.size()) {
    const auto header = static_cast<std::size_t>(at);
    const std::uint32_t bytes = audio.le32(header + 4);
    if (audio.has(header, "data")) {
      chunks.data = header + 8;
      chunks.data_bytes = bytes;
      return chunks;
    }
    if (audio.has(header, "fmt ")) {
      chunks.two_formats = chunks.format.has_value();
      chunks.format = header + 8;
    }
    if (audio.has(header, "ds64")) chunks.large_sizes = header + 8;
    if (audio.has(header, "fact") && bytes >= 4) chunks.fact = header + 8;
    at += 8 + std::uint64_t{bytes} + bytes % 2;
  }
  chunks.cut = at != audio.size();
  return chunks;
}

/// A size of 0 may also be true, when other chunks follow.
bool has_unset_size(ByteView audio, const Chunks& chunks) {
  return chunks.data && chunks.data_bytes == 0 && audio.size() > *chunks.data &&
         !audio.has(*chunks.data, "LIST") && !audio.has(*chunks.data, "id3 ");
}

/// True for the sizes that writers to a pipe give, because they cannot know the true one: ffmpeg 0xffffffff,
/// sox 0x7ffff000, arecord 0x7fffff00 or 0x80000000, others a limit less the bytes of the header. The windows
/// are narrow, because a large file that was cut has a size like any other.
bool is_streaming_size(std::uint64_t bytes) {
  constexpr std::uint64_t kMostBefore = 128;  // bytes of the header
  for (const std::uint64_t limit : {0x7ffff000ULL, 0x7fffff00ULL, 0x80000000ULL, 0xfffff000ULL, 0xffffff00ULL,
                                    0x100000000ULL, 0x7fffffffffffffffULL, 0xffffffffffffffffULL}) {
    if (bytes <= limit && limit - bytes <= kMostBefore) return true;
  }
  return false;
}

/// True when the bytes from `at` to the end are chunks, and nothing else.
bool are_chunks(ByteView audio, std::uint64_t at) {
  bool is_any = false;
  while (at + kChunkHeaderBytes <= audio.size()) {
    const auto header = static_cast<std::size_t>(at);
    const std::string_view id = audio.text(header, 4);
    if (!std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; })) return false;
    const std::uint32_t bytes = audio.le32(header + 4);
    at += kChunkHeaderBytes + std::uint64_t{bytes} + bytes % 2;
    is_any = true;
  }
  // The last chunk may lack its byte of padding.
  return is_any && (at == audio.size() || at == audio.size() + 1);
}

/// Where the chunks begin that follow audio of unknown size; the end of the file without such chunks.
std::size_t begin_of_trailer(ByteView audio, std::size_t data) {
  constexpr std::size_t kMostBytes = 1 << 16;
  const std::size_t size = audio.size();
  for (std::size_t at = std::max(data, size - std::min(size, kMostBytes)); at + kChunkHeaderBytes <= size;
       ++at) {
    const bool may_be = audio.has(at, "LIST") || audio.has(at, "id3 ") || audio.has(at, "ID3 ");
    if (may_be && are_chunks(audio, at)) return at;
  }
  return size;
}

/// The name of an encoding that we measure; empty for those that libsndfile must measure.
std::string encoding(std::uint32_t tag, std::uint32_t bits) {
  if (tag == kPcm && (bits == 8 || bits == 16 || bits == 24 || bits == 32)) return fmt::format("pcm{}", bits);
  if (tag == kFloat && (bits == 32 || bits == 64)) return fmt::format("float{}", bits);
  if (tag == kAlaw && bits == 8) return "alaw";
  if (tag == kMulaw && bits == 8) return "ulaw";
  return {};
}

std::string encoding_at(ByteView audio, std::size_t format) {
  std::uint32_t tag = audio.le16(format);
  if (tag == kExtensible) tag = audio.le16(format + 24);
  return encoding(tag, audio.le16(format + 14));
}

/// The bytes of audio in a WAV.
struct Extent {
  std::uint64_t promised = 0;  // by the header
  std::uint64_t present = 0;
  bool unknown = false;      // the header does not say: all that is there counts
  bool is_extended = false;  // the RIFF covers more audio than its data chunk
  Trailer trailer{};         // the bytes after the audio

  bool is_right() const { return !unknown && !is_extended; }
};

/// True when another WAV follows, as after `cat a.wav b.wav`. Other programs refuse the file or see only the
/// first.
bool begins_wav(ByteView audio, std::uint64_t from) {
  const auto at = static_cast<std::size_t>(from + from % 2);
  for (const std::size_t begin : {static_cast<std::size_t>(from), at}) {
    if (audio.has(begin, "RIFF") && audio.has(begin + 8, "WAVE")) return true;
  }
  return false;
}

/// How much of the file the RIFF covers, by its own size.
std::uint64_t end_of_riff(ByteView audio, const Chunks& chunks, std::uint64_t file_bytes) {
  std::uint64_t bytes = audio.le32(kRiffSizeAt);
  const bool is_large = audio.has(0, "RF64") && chunks.large_sizes && bytes == 0xffffffff;
  if (is_large) bytes = audio.le64(*chunks.large_sizes);
  if (is_streaming_size(bytes)) return file_bytes;
  return std::min(kChunkHeaderBytes + bytes, file_bytes);
}

/// Where the header contradicts itself: the RIFF covers much more than the data chunk, but no chunk follows
/// that. Readers that go by the data chunk lose the rest of the audio.
void extend(ByteView audio, const Chunks& chunks, Extent& extent) {
  const std::uint64_t end = *chunks.data + extent.promised;
  extent.trailer = trailer_of(audio, end, extent.promised % 2 != 0, ByteOrder::little);
  if (extent.trailer.unexplained_bytes == 0 || extent.trailer.begins_with_chunk) return;
  const std::uint64_t riff_end = end_of_riff(audio, chunks, audio.size());
  const bool is_known = chunks.format && !encoding_at(audio, *chunks.format).empty();
  if (!is_known || riff_end < end + kLeastHiddenBytes) return;
  const ByteView covered = audio.first(static_cast<std::size_t>(riff_end));
  extent.is_extended = true;
  extent.present = begin_of_trailer(covered, static_cast<std::size_t>(end)) - *chunks.data;
  extent.trailer = trailer_of(audio, riff_end, false, ByteOrder::little);
}

Extent extent_of(ByteView audio, const Chunks& chunks) {
  const bool is_large = audio.has(0, "RF64") && chunks.large_sizes && chunks.data_bytes == 0xffffffff;
  Extent extent{.promised = is_large ? audio.le64(*chunks.large_sizes + 8) : chunks.data_bytes};
  const std::uint64_t there = audio.size() - *chunks.data;
  const bool is_zero = extent.promised == 0 && there > 0 && !are_chunks(audio, *chunks.data) &&
                       (is_large || has_unset_size(audio, chunks));
  extent.unknown = is_zero || (extent.promised > there && is_streaming_size(extent.promised));
  extent.present = extent.unknown ? begin_of_trailer(audio, *chunks.data) - *chunks.data
                                  : std::min(extent.promised, there);
  if (!extent.unknown && extent.promised <= there) extend(audio, chunks, extent);
  return extent;
}

/// What `data_bytes` bytes of audio are; nullopt when only libsndfile can tell.
std::optional<AudioInfo> measure(ByteView audio, std::size_t format, std::uint64_t data_bytes) {
  const std::uint32_t bits = audio.le16(format + 14);
  AudioInfo info{.format = "wav/" + encoding_at(audio, format),
                 .sample_rate = audio.le32(format + 4),
                 .channels = audio.le16(format + 2),
                 .frames = 0};
  if (info.format == "wav/") return std::nullopt;
  if (info.channels == 0 || info.channels > kMaxChannels) return info;
  // As all readers do, whatever the header gives for the size of a frame.
  info.frames = data_bytes / (info.channels * bits / 8);
  return info;
}

/// Cuts off an incomplete last frame, and writes the true size. Otherwise readers count the bytes behind it
/// as audio.
void mend_data_size(Bytes& audio, const Chunks& chunks, std::uint64_t data_bytes, std::size_t trailer) {
  const std::size_t data = *chunks.data;
  Bytes rest(audio.begin() + static_cast<std::ptrdiff_t>(trailer), audio.end());
  audio.resize(data + static_cast<std::size_t>(data_bytes));
  if (data_bytes % 2 != 0) audio.push_back(std::byte{0});
  audio.insert(audio.end(), rest.begin(), rest.end());
  put_little(audio, data - 4, data_bytes, 4);
}

/// True unless the file ends as its header says. What follows it may be a tag of some program.
bool has_wrong_riff_size(ByteView audio, std::uint64_t data_end) {
  const std::uint64_t end = kChunkHeaderBytes + std::uint64_t{audio.le32(kRiffSizeAt)};
  return end < data_end || end > audio.size() + 1;
}

}  // namespace

std::optional<std::size_t> find_unset_data_size(ByteView head) {
  constexpr std::size_t kAuDataSizeAt = 8;
  const bool is_au = head.has(0, ".snd") || head.has(0, "dns.");
  if (is_au && head.le32(kAuDataSizeAt) == 0) {
    const std::uint32_t begin = head.has(0, ".snd") ? head.be32(4) : head.le32(4);
    return begin < head.size() ? std::optional(kAuDataSizeAt) : std::nullopt;
  }
  if (!head.has(0, "RIFF") || !head.has(8, "WAVE")) return std::nullopt;
  const Chunks chunks = find_chunks(head);
  if (!has_unset_size(head, chunks)) return std::nullopt;
  return *chunks.data - 4;
}

std::optional<std::size_t> find_short_data_size(ByteView head, std::uint64_t file_bytes,
                                                const std::function<Bytes(std::uint64_t at)>& read) {
  if (!head.has(0, "RIFF") || !head.has(8, "WAVE")) return std::nullopt;
  const Chunks chunks = find_chunks(head);
  if (!chunks.data || !chunks.format || encoding_at(head, *chunks.format).empty()) return std::nullopt;
  const std::uint64_t end = *chunks.data + chunks.data_bytes;
  if (end_of_riff(head, chunks, file_bytes) < end + kLeastHiddenBytes) return std::nullopt;
  const Bytes rest = read(end);
  const Trailer trailer = trailer_of(ByteView(rest), 0, chunks.data_bytes % 2 != 0, ByteOrder::little);
  if (trailer.unexplained_bytes == 0 || trailer.begins_with_chunk) return std::nullopt;
  return *chunks.data - 4;
}

std::string missing_from_wav(ByteView head, std::uint64_t file_bytes) {
  if (!head.has(0, "RIFF") || !head.has(8, "WAVE")) return {};
  const Chunks chunks = find_chunks(head);
  if (!chunks.data || !chunks.format || has_unset_size(head, chunks)) return {};
  const std::uint64_t present = file_bytes - std::min<std::uint64_t>(file_bytes, *chunks.data);
  // Streaming writers give the largest size that there is.
  if (chunks.data_bytes <= present || is_streaming_size(chunks.data_bytes)) return {};
  return fmt::format("{} of {} bytes of audio are missing", chunks.data_bytes - present, chunks.data_bytes);
}

ProbeResult probe_wav(ByteView audio) {
  const Chunks chunks = find_chunks(audio);
  if (!chunks.data && chunks.cut) {
    return failure(ProbeVerdict::truncated, "it ends before its audio begins");
  }
  if (!chunks.data) return failure(ProbeVerdict::empty, "it has no data chunk");
  if (!chunks.format) return failure(ProbeVerdict::damaged, "its data have no format chunk before them");

  const Extent extent = extent_of(audio, chunks);
  const std::uint64_t promised = extent.promised;
  std::optional<AudioInfo> info = measure(audio, *chunks.format, extent.present);
  if (!info) info = sndfile_info(audio.bytes());
  if (!info) return failure(ProbeVerdict::unsupported, "a WAV of an encoding that libsndfile does not read");
  ProbeResult result = judge(std::move(*info));
  if (result.verdict == ProbeVerdict::absurd) return result;
  result.hidden_bytes = extent.is_right() ? 0 : extent.present - std::min(promised, extent.present);
  result.trailing_bytes = extent.trailer.unexplained_bytes;
  if (chunks.two_formats || extent.trailer.has_data) {
    result.verdict = ProbeVerdict::damaged;
    result.text = fmt::format("it has two {} chunks: some readers refuse it, others read only one of them",
                              chunks.two_formats ? "format" : "data");
  } else if (promised > extent.present && extent.is_right()) {
    result.verdict = ProbeVerdict::truncated;
    result.text = fmt::format("{} of {} bytes of audio are missing", promised - extent.present, promised);
  } else if (!extent.unknown && begins_wav(audio, *chunks.data + promised)) {
    result.verdict = ProbeVerdict::damaged;
    result.text = "another WAV follows its audio, which readers leave out";
  } else if (extent.unknown && result.verdict == ProbeVerdict::good) {
    result.verdict = ProbeVerdict::size_unknown;
    result.text = fmt::format("its header gives {} bytes of audio, as streaming writers do{}", promised,
                              promised == 0 ? ": most readers find none" : "");
  }
  return result;
}

std::optional<Bytes> mended_wav(ByteView audio, const AudioInfo& info) {
  const Chunks chunks = find_chunks(audio);
  if (!chunks.data || !chunks.format) return std::nullopt;
  const Extent extent = extent_of(audio, chunks);
  const bool is_known = !encoding_at(audio, *chunks.format).empty();
  const std::uint64_t frame_bytes = is_known ? info.channels * audio.le16(*chunks.format + 14) / 8 : 0;
  std::uint64_t data_bytes = extent.present;
  const bool has_wrong_size = !extent.is_right();
  if (has_wrong_size && frame_bytes != 0) data_bytes -= data_bytes % frame_bytes;
  const bool has_wrong_frame = frame_bytes != 0 && info.frames == data_bytes / frame_bytes &&
                               (audio.le16(*chunks.format + 12) != frame_bytes ||
                                audio.le32(*chunks.format + 8) != info.sample_rate * frame_bytes);
  const bool has_wrong_end = !audio.has(0, "RF64") && has_wrong_riff_size(audio, *chunks.data + data_bytes);
  const bool fits = audio.size() + 1 <= 0xffffffff;  // a larger one needs RF64
  if (!fits || !(has_wrong_size || has_wrong_frame || has_wrong_end)) return std::nullopt;

  Bytes bytes = copied(audio);
  if (has_wrong_size)
    mend_data_size(bytes, chunks, data_bytes, *chunks.data + static_cast<std::size_t>(extent.present));
  if (has_wrong_size && chunks.fact && frame_bytes != 0) put_little(bytes, *chunks.fact, info.frames, 4);
  if (has_wrong_frame) {
    put_little(bytes, *chunks.format + 8, info.sample_rate * frame_bytes, 4);
    put_little(bytes, *chunks.format + 12, frame_bytes, 2);
  }
  if (has_wrong_size || has_wrong_end) {
    const std::uint64_t outside = extent.trailer.unexplained_bytes;
    put_little(bytes, kRiffSizeAt, bytes.size() - kChunkHeaderBytes - outside, 4);
  }
  if (has_wrong_size && chunks.large_sizes) {
    // The sizes fit into a RIFF, which more programs read.
    constexpr std::string_view kRiff = "RIFF";
    constexpr std::string_view kUnused = "JUNK";
    const auto put_tag = [&bytes](std::size_t at, std::string_view tag) {
      for (std::size_t i = 0; i < tag.size(); ++i) bytes[at + i] = static_cast<std::byte>(tag[i]);
    };
    put_tag(0, kRiff);
    put_tag(*chunks.large_sizes - kChunkHeaderBytes, kUnused);
  }
  return bytes;
}

namespace {

constexpr std::uint32_t kPlainPcm = 1;
constexpr std::size_t kPlainFormatAt = 20;  // its chunk is the first
constexpr std::size_t kPlainFormatBytes = 16;
constexpr float kPlainFullScale = 32768;
constexpr std::uint32_t kMostPlainChannels = 64;

}  // namespace

std::optional<FloatAudio> wav_floats(std::span<const std::byte> audio) {
  const ByteView view(audio);
  if (!view.has(0, "RIFF") || !view.has(8, "WAVEfmt ") || view.le32(16) != kPlainFormatBytes)
    return std::nullopt;
  std::size_t data = kPlainFormatAt + kPlainFormatBytes;
  if (view.has(data, "LIST") && view.le32(data + 4) % 2 == 0) data += 8 + std::size_t{view.le32(data + 4)};
  const std::uint32_t channels = view.le16(kPlainFormatAt + 2);
  const std::uint32_t rate = view.le32(kPlainFormatAt + 4);
  const std::size_t bytes = view.le32(data + 4);
  data += 8;
  const bool is_whole =
      view.has(data - 8, "data") && data + bytes == audio.size() && view.le32(4) == audio.size() - 8;
  const bool is_plain = view.le16(kPlainFormatAt) == kPlainPcm && view.le16(kPlainFormatAt + 14) == 16 &&
                        channels > 0 && channels <= kMostPlainChannels &&
                        view.le16(kPlainFormatAt + 12) == 2 * channels && rate > 0 && rate < 1'000'000 &&
                        view.le32(kPlainFormatAt + 8) == rate * 2 * channels && bytes > 0 &&
                        bytes % (2 * channels) == 0;
  if (!is_whole || !is_plain) return std::nullopt;
  FloatAudio sound{.sample_rate = rate, .channels = channels};
  sound.values.resize(bytes / 2);
  const std::byte* value = audio.data() + data;
  for (float& number : sound.values) {
    const auto bits = static_cast<std::uint16_t>(std::to_integer<unsigned>(value[0]) |
                                                 std::to_integer<unsigned>(value[1]) << 8);
    number = static_cast<float>(std::bit_cast<std::int16_t>(bits)) / kPlainFullScale;
    value += 2;
  }
  return sound;
}

}  // namespace shardmill::audio
