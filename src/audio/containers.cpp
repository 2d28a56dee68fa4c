#include "audio/containers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "audio/byte_view.hpp"
#include "audio/sndfile.hpp"
#include "base/hash/crc32.hpp"
#include "base/system/vector_path.hpp"

namespace shardmill::audio {

namespace {

constexpr std::size_t kHeaderBytes = 27;  // then comes a table with the sizes of its segments
constexpr std::size_t kChecksumAt = 22;
constexpr std::string_view kPageBegin = "OggS";

std::size_t page_bytes(ByteView page) {
  const std::size_t segments = page.u8(kHeaderBytes - 1);
  std::size_t bytes = kHeaderBytes + segments;
  for (std::size_t i = 0; i < segments; ++i) bytes += page.u8(kHeaderBytes + i);
  return bytes;
}

struct OggPages {
  std::size_t whole_bytes = 0;  // up to the end of the last whole page
  bool cut = false;             // another page begins after it, but is not whole
  bool ended = false;           // the last page is marked as the last of its stream
  std::size_t streams = 0;      // one after another: streams that begin together count as one
};

OggPages walk_pages(ByteView audio) {
  OggPages pages;
  std::size_t at = 0;
  bool was_beginning = false;
  while (audio.has(at, kPageBegin)) {
    const std::size_t bytes = page_bytes(audio.from(at));
    if (bytes > audio.size() - at) break;
    pages.ended = (audio.u8(at + 5) & 4) != 0;
    const bool begins = (audio.u8(at + 5) & 2) != 0;
    if (begins && !was_beginning) ++pages.streams;
    was_beginning = begins;
    at += bytes;
  }
  pages.whole_bytes = at;
  const std::string_view rest = audio.text(at, kPageBegin.size());
  pages.cut = !rest.empty() && kPageBegin.starts_with(rest);
  return pages;
}

/// The value from a line "KEY -i 123" or "KEY -s3 abc" of a SPHERE header.
std::string_view sphere_value(std::string_view header, std::string_view key) {
  std::size_t at = 0;
  while (at < header.size()) {
    const std::string_view line = header.substr(at, header.find('\n', at) - at);
    if (line.starts_with(key) && line.substr(key.size()).starts_with(" -")) {
      const std::size_t blank = line.find(' ', key.size() + 1);
      return blank == std::string_view::npos ? std::string_view{} : line.substr(blank + 1);
    }
    at += line.size() + 1;
  }
  return {};
}

std::uint64_t number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ProbeResult measure(ByteView audio, const Promise& promise) {
  std::optional<AudioInfo> info = sndfile_info(audio.bytes());
  if (!promise.unknown && promise.end > audio.size()) {
    return failure(ProbeVerdict::truncated,
                   fmt::format("{} bytes of audio are missing", promise.end - audio.size()),
                   info.value_or(AudioInfo{}));
  }
  if (!info) return failure(ProbeVerdict::damaged, "libsndfile cannot read it");
  ProbeResult result = judge(std::move(*info));
  if (promise.unknown && result.verdict == ProbeVerdict::good) {
    result.verdict = ProbeVerdict::size_unknown;
    result.text = "its header does not say how long it is";
  }
  return result;
}

namespace {

/// Also counts the bytes after the end that the header promises.
ProbeResult measure_with_rest(ByteView audio, const Promise& promise) {
  ProbeResult result = measure(audio, promise);
  if (!promise.unknown && promise.end < audio.size())
    result.trailing_bytes = unexplained_bytes(audio.from(static_cast<std::size_t>(promise.end)));
  return result;
}

}  // namespace

std::size_t ogg_page_bytes(ByteView audio) {
  return walk_pages(audio).whole_bytes;
}

ProbeResult probe_ogg(ByteView audio) {
  const OggPages pages = walk_pages(audio);
  if (pages.cut) return failure(ProbeVerdict::truncated, "it ends inside an Ogg page");
  constexpr std::size_t kFirstPacket = 28;
  if (!audio.has(kFirstPacket, "\x01vorbis") && !audio.has(kFirstPacket, "OpusHead")) {
    return failure(ProbeVerdict::unsupported, "an Ogg stream that is neither Vorbis nor Opus");
  }
  if (pages.streams > 1) {
    return failure(
        ProbeVerdict::damaged,
        fmt::format("it is a chain of {} Ogg streams, and libsndfile reads only the first", pages.streams));
  }
  // Leave out the bytes after the last page: they would hide the length from libsndfile.
  const ByteView whole = audio.first(pages.whole_bytes);
  if (std::string damage = ogg_damage(audio.bytes()); !damage.empty())
    return failure(ProbeVerdict::damaged, std::move(damage),
                   sndfile_info(whole.bytes()).value_or(AudioInfo{}));
  ProbeResult result = measure(whole, {.end = pages.whole_bytes, .unknown = !pages.ended});
  result.trailing_bytes = audio.size() - pages.whole_bytes;
  return result;
}

ProbeResult probe_sphere(ByteView audio) {
  const std::uint64_t header_bytes = number(audio.text(8, 8));
  const std::string_view header = audio.text(0, header_bytes);
  if (sphere_value(header, "sample_coding").find("shorten") != std::string_view::npos) {
    return failure(ProbeVerdict::unsupported,
                   "SPHERE compressed with shorten, which is not read: use sph2pipe first");
  }
  const std::uint64_t frame_bytes =
      number(sphere_value(header, "channel_count")) * number(sphere_value(header, "sample_n_bytes"));
  std::uint64_t end = 0;
  const bool absurd =
      __builtin_mul_overflow(number(sphere_value(header, "sample_count")), frame_bytes, &end) ||
      __builtin_add_overflow(end, header_bytes, &end);
  if (absurd) return failure(ProbeVerdict::absurd, "its header promises more audio than there can be");
  return measure_with_rest(audio, {.end = end, .unknown = sphere_value(header, "sample_count").empty()});
}

namespace {

struct AuLayout {
  bool is_big = true;
  std::uint64_t begin = 0;  // of the audio
  std::uint64_t bytes = 0;  // of audio, by the header
  std::uint64_t there = 0;
  bool unset = false;    // the writer could not go back to write the size
  bool unknown = false;  // the header says that it does not know, or `unset`
};

constexpr std::size_t kAuSizeAt = 8;
constexpr std::uint32_t kAuUnknownSize = 0xffffffff;

AuLayout au_layout(ByteView audio) {
  AuLayout layout{.is_big = audio.has(0, ".snd")};
  layout.begin = layout.is_big ? audio.be32(4) : audio.le32(4);
  layout.bytes = layout.is_big ? audio.be32(kAuSizeAt) : audio.le32(kAuSizeAt);
  layout.there = audio.size() - std::min<std::uint64_t>(layout.begin, audio.size());
  layout.unset = layout.bytes == 0 && layout.there > 0;
  layout.unknown = layout.unset || layout.bytes == kAuUnknownSize;
  return layout;
}

Bytes with_au_size(ByteView audio, bool is_big, std::uint64_t size) {
  Bytes bytes = copied(audio);
  is_big ? put_big(bytes, kAuSizeAt, size, 4) : put_little(bytes, kAuSizeAt, size, 4);
  return bytes;
}

}  // namespace

ProbeResult probe_au(ByteView audio) {
  const AuLayout layout = au_layout(audio);
  const std::uint64_t end = layout.begin + layout.bytes;
  if (!layout.unset) return measure_with_rest(audio, {.end = end, .unknown = layout.unknown});
  // libsndfile finds no audio when the size is 0.
  ProbeResult result =
      measure(ByteView(with_au_size(audio, layout.is_big, kAuUnknownSize)), {.unknown = true});
  result.hidden_bytes = layout.there;
  return result;
}

std::optional<Bytes> mended_au(ByteView audio) {
  const AuLayout layout = au_layout(audio);
  if (!layout.unknown || layout.there == 0) return std::nullopt;
  return with_au_size(audio, layout.is_big, layout.there);
}

ProbeResult probe_other(ByteView audio) {
  return measure(audio, {});
}

namespace {

/// The page's checksum, for which its own four bytes count as zero.
std::uint32_t checksum(ByteView page) {
  constexpr std::array<std::byte, 4> kOwn{};
  const base::VectorPath path = base::chosen_vector_path();
  const std::uint32_t before = base::update_crc32(path, 0, page.first(kChecksumAt).bytes());
  return base::update_crc32(path, base::update_crc32(path, before, kOwn),
                            page.from(kChecksumAt + kOwn.size()).bytes());
}

}  // namespace

std::size_t OggCheck::take(std::span<const std::byte> bytes) {
  const ByteView file(bytes);
  std::size_t at = 0;
  while (damage_.empty() && file.has(at, kPageBegin)) {
    const std::size_t bytes_of_page = page_bytes(file.from(at));
    if (bytes_of_page > file.size() - at) break;
    take_page(file.from(at).first(bytes_of_page));
    at += bytes_of_page;
    taken_ += bytes_of_page;
  }
  return at;
}

void OggCheck::take_page(ByteView page) {
  if (checksum(page) != page.le32(kChecksumAt)) {
    damage_ = fmt::format("the Ogg page at byte {} has a wrong checksum", taken_);
    return;
  }
  const std::uint32_t number = page.le32(18);
  const auto [next, is_first] = next_numbers_.try_emplace(page.le32(14), number);
  if (next->second != number) {
    damage_ = fmt::format("page {} of the Ogg stream is missing: page {} comes at byte {}", next->second,
                          number, taken_);
    return;
  }
  const ByteView packet = page.from(kHeaderBytes + page.u8(kHeaderBytes - 1));
  if (is_first && packet.has(0, "OpusHead")) opus_skipped_ = packet.le16(10);
  constexpr std::uint64_t kNoPacketEnds = ~std::uint64_t{0};
  if (const std::uint64_t granule = page.le64(6); granule != kNoPacketEnds) granule_ = granule;
  next->second = number + 1;
  ended_ = (page.u8(5) & 4) != 0;
}

void OggCheck::finish(std::span<const std::byte> rest) {
  if (!damage_.empty()) return;
  const ByteView file(rest);
  if (file.has(0, kPageBegin)) {
    damage_ = fmt::format("the Ogg page at byte {} is cut off", taken_);
    return;
  }
  const bool more = file.text(0, file.size()).find(kPageBegin) != std::string_view::npos;
  if (more || (!ended_ && !rest.empty())) damage_ = fmt::format("no Ogg page begins at byte {}", taken_);
}

std::uint64_t OggCheck::good_frames(std::uint32_t sample_rate) const {
  constexpr std::uint64_t kOpusHz = 48'000;
  if (!opus_skipped_) return granule_;
  return (granule_ - std::min(granule_, *opus_skipped_)) * sample_rate / kOpusHz;
}

std::string ogg_damage(std::span<const std::byte> ogg) {
  const std::size_t begin = ByteView(ogg).text(0, ogg.size()).find(kPageBegin);
  if (begin == std::string_view::npos) return "it has no Ogg page";
  OggCheck check(begin);
  check.finish(ogg.subspan(begin + check.take(ogg.subspan(begin))));
  return check.damage();
}

namespace {

/// How many frames fewer a decoder may give. An MPEG decoder may leave out the first frames, which depend on
/// frames before them, and its own delay. An Opus decoder leaves out at most 80 ms.
std::uint64_t most_padding_frames(const AudioInfo& info) {
  constexpr std::uint64_t kMpegFrames = 5;
  if (info.format.starts_with("mp")) return kMpegFrames * (info.sample_rate >= 32'000 ? 1152 : 576);
  return info.sample_rate / 10;
}

}  // namespace

bool is_lossy(const AudioInfo& info) {
  return info.format.starts_with("ogg/") || info.format.starts_with("mp");
}

bool is_whole(const AudioInfo& info, std::uint64_t decoded_frames) {
  const auto [fewer, more] = std::minmax(info.frames, decoded_frames);
  return more - fewer <= (is_lossy(info) ? most_padding_frames(info) : 0);
}

namespace {

bool is_tag(ByteView rest) {
  constexpr std::size_t kId3v1Bytes = 128;
  return (rest.has(0, "TAG") && rest.size() == kId3v1Bytes) || rest.has(0, "ID3") || rest.has(0, "APETAGEX");
}

bool is_zeros(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::uint32_t size_at(ByteView audio, std::size_t header, ByteOrder order) {
  return order == ByteOrder::little ? audio.le32(header + 4) : audio.be32(header + 4);
}

/// True for the names that are common enough not to be audio by chance, even if the size is wrong.
bool is_known(std::string_view id) {
  constexpr std::array<std::string_view, 20> kKnown{"LIST", "id3 ", "ID3 ", "bext", "fact", "cue ", "smpl",
                                                    "inst", "JUNK", "junk", "PAD ", "PEAK", "iXML", "axml",
                                                    "_PMX", "afsp", "FLLR", "COMT", "ANNO", "APPL"};
  return std::find(kKnown.begin(), kKnown.end(), id) != kKnown.end();
}

bool is_chunk(ByteView audio, std::uint64_t at, ByteOrder order) {
  if (at + kChunkHeaderBytes > audio.size()) return false;
  const auto header = static_cast<std::size_t>(at);
  const std::string_view id = audio.text(header, 4);
  if (is_known(id)) return true;
  return std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
         at + kChunkHeaderBytes + size_at(audio, header, order) <= audio.size();
}

/// Finds the first chunk, also if the byte of padding is missing or a few zeros come before it.
std::uint64_t begin_of_chunks(ByteView audio, std::uint64_t end, bool is_padded, ByteOrder order) {
  constexpr std::uint64_t kMostZeros = 16;
  if (is_chunk(audio, end, order)) return end;
  for (std::uint64_t at = end + 1; at <= end + kMostZeros; ++at) {
    const bool may_be = at == end + 1 ? is_padded || audio.u8(static_cast<std::size_t>(end)) == 0
                                      : audio.u8(static_cast<std::size_t>(at - 1)) == 0;
    if (!may_be) break;
    if (is_chunk(audio, at, order)) return at;
  }
  return is_padded ? end + 1 : end;
}

}  // namespace

std::uint64_t unexplained_bytes(ByteView rest) {
  return is_tag(rest) || is_zeros(rest.text(0, rest.size())) ? 0 : rest.size();
}

Trailer trailer_of(ByteView audio, std::uint64_t end, bool is_padded, ByteOrder order) {
  Trailer trailer;
  std::uint64_t at = begin_of_chunks(audio, end, is_padded, order);
  while (is_chunk(audio, at, order)) {
    const auto header = static_cast<std::size_t>(at);
    if (unexplained_bytes(audio.from(header)) == 0) break;
    const std::uint32_t bytes = size_at(audio, header, order);
    trailer.begins_with_chunk = true;
    trailer.has_data = trailer.has_data || audio.has(header, "data");
    at += kChunkHeaderBytes + std::uint64_t{bytes} + bytes % 2;
  }
  if (at < audio.size())
    trailer.unexplained_bytes = unexplained_bytes(audio.from(static_cast<std::size_t>(at)));
  return trailer;
}

}  // namespace shardmill::audio
