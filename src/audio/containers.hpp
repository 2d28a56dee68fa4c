// Audio containers other than WAV and FLAC: their length, and whether all of their bytes are there; and the
// bytes after the audio of any container: chunks and tags, which programs know and skip, or other bytes.
// AIFF and AIFF-C: finds the true size of the audio; libsndfile measures its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

// These expect the container's magic at the start of `audio`. libsndfile measures the length; they only check
// whether all bytes are there.
/// Also whether its pages are good: without one of them the length is wrong. An Ogg whose last page is not
/// marked as the last is size_unknown.
ProbeResult probe_ogg(ByteView audio);
ProbeResult probe_sphere(ByteView audio);
/// An AU whose size is 0 came from a writer to a pipe, if audio follows: the specification has 0xffffffff for
/// an unknown size.
ProbeResult probe_au(ByteView audio);
/// For RIFX, W64 and CAF: the result of libsndfile alone.
ProbeResult probe_other(ByteView audio);

/// The end of the audio according to the header; or `unknown`, if the header does not have it.
struct Promise {
  std::uint64_t end = 0;
  bool unknown = false;
};

/// Measures the length with libsndfile, and checks whether all bytes are there.
ProbeResult measure(ByteView audio, const Promise& promise);

/// The same AU with its true size; nullopt when the header gives one.
std::optional<Bytes> mended_au(ByteView audio);

/// The size of the pages with which an Ogg file begins; bytes that are no page may follow.
std::size_t ogg_page_bytes(ByteView audio);

/// Checks the pages of an Ogg file, because libraries drop a damaged page without a word. Returns the
/// problem: a wrong checksum, a missing page, bytes between two pages, or an end inside a page; empty if the
/// pages are good. A tag may come before the first page, and any bytes may follow the page that is marked as
/// the last. Thread-safe.
std::string ogg_damage(std::span<const std::byte> ogg);

/// The same for a file that is read piece by piece. A page has less than 64 KiB.
class OggCheck {
 public:
  /// `begin`: where the first page begins.
  explicit OggCheck(std::uint64_t begin) : taken_(begin) {}

  /// Takes the whole pages at the beginning of `bytes`, up to the first that is damaged, and returns their
  /// size.
  std::size_t take(std::span<const std::byte> bytes);
  /// `rest`: the bytes after the last whole page; of many, some are enough.
  void finish(std::span<const std::byte> rest);

  const std::string& damage() const noexcept { return damage_; }
  /// How many frames end in the good pages, as libraries decode them.
  std::uint64_t good_frames(std::uint32_t sample_rate) const;

 private:
  void take_page(ByteView page);

  std::uint64_t taken_;
  std::map<std::uint32_t, std::uint32_t> next_numbers_;  // of pages, by stream
  std::optional<std::uint64_t> opus_skipped_;            // frames at the beginning; none: not Opus
  std::uint64_t granule_ = 0;
  bool ended_ = false;
  std::string damage_;
};

/// Measures MPEG audio (MP3 and its older layers) by walking over the frame headers. Bytes before the first
/// frame are skipped. A Xing or Info frame gives the number of frames, a LAME tag the delay and padding in
/// them. The verdict is `unrecognised` if no two frames follow each other and no single frame ends with the
/// bytes.
ProbeResult probe_mpeg(ByteView audio);

/// True for Vorbis, Opus and MPEG. Their decoders differ in how much padding they remove at both ends.
bool is_lossy(const AudioInfo& info);

/// True when `decoded_frames` is all that `info` promises: exactly that many frames, or about that many for
/// lossy audio. Where a file holds several streams, decoders often stop after the first.
bool is_whole(const AudioInfo& info, std::uint64_t decoded_frames);

/// Of a chunk: its name and its size.
inline constexpr std::size_t kChunkHeaderBytes = 8;

enum class ByteOrder { little, big };

struct Trailer {
  std::uint64_t unexplained_bytes = 0;  // at the end of the file: neither chunks nor tags nor padding
  bool begins_with_chunk = false;
  bool has_data = false;  // one of the chunks is another "data"
};

/// 0 if `rest`, the end of a file, is nothing but zeros or a tag (ID3 or APE); otherwise its size.
std::uint64_t unexplained_bytes(ByteView rest);

/// Examines the bytes of a chunked file (WAV, AIFF) after a chunk whose content ends at `end`. `order`: of
/// the sizes of its chunks. `end` may be beyond the end of the file.
Trailer trailer_of(ByteView audio, std::uint64_t end, bool is_padded, ByteOrder order);

/// `audio` must start with FORM and AIFF or AIFC.
ProbeResult probe_aiff(ByteView audio);

/// The same audio with the true sizes of the file and of its audio, and the true number of frames. `info`: of
/// usable audio, as probe_aiff() measured it. nullopt when the header tells the truth.
std::optional<Bytes> mended_aiff(ByteView audio, const AudioInfo& info);

}  // namespace shardmill::audio
