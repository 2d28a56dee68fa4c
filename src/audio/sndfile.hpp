// libsndfile: asks it about audio in memory (headers, frames, the speed of decoding); SndfileStream is
// encoded audio in memory or in a file, opened with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Reads the headers; nullopt if libsndfile cannot read them or does not know the length. Thread-safe.
std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio);

/// Decodes all of `audio` and counts the frames; nullopt if it cannot be read at all. Thread-safe.
std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio);

struct DecodedAudio {
  std::uint64_t frames = 0;  // up to the damage, if there is any
  bool silent = true;        // every value is zero
  bool non_finite = false;   // some value is NaN or infinite
  std::string damage{};      // in libsndfile's words; empty if everything was decoded
};

/// Decodes all of `audio`; nullopt if it cannot be read at all. Checks the checksums of FLAC frames, but not
/// the MD5 of the whole. Thread-safe.
std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio);

struct FloatAudio {
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::vector<float> values{};  // frame by frame
  std::string damage{};         // empty if all frames were decoded
};

/// Decodes all of `audio` to floats, where full scale is 1; nullopt if it cannot be read at all. Checks what
/// sndfile_decode() checks. Thread-safe.
std::optional<FloatAudio> sndfile_floats(std::span<const std::byte> audio);

/// Reads `frames` frames as floats into one new array, as training loaders do, and drops them. For measuring
/// its time. Thread-safe.
void sndfile_read_floats(std::span<const std::byte> audio, std::uint64_t frames);

/// True for version 1.1 and later, unless they were built without MPEG.
bool sndfile_reads_mpeg();

/// The version of libsndfile.
std::string libsndfile_version();

/// The speed of decoding to floats, as training loaders do it: seconds of audio per second of CPU time, over
/// all of `audio`; 0 if none of it can be decoded.
double decoding_speed(std::span<const Bytes> audio);

// libsndfile's numbers for MPEG audio. Its header has names for them only from version 1.1 on.
inline constexpr int kSndfileMpeg = 0x230000;  // SF_FORMAT_MPEG
inline constexpr int kSndfileMpegLayer1 = 0x80;
inline constexpr int kSndfileMpegLayer2 = 0x81;
inline constexpr int kSndfileMpegLayer3 = 0x82;

/// One thread at a time; several streams may be used at the same time.
class SndfileStream {
 public:
  /// `audio` must outlive the stream.
  explicit SndfileStream(std::span<const std::byte> audio);
  explicit SndfileStream(base::File file);
  SndfileStream(const SndfileStream&) = delete;
  SndfileStream& operator=(const SndfileStream&) = delete;
  ~SndfileStream();

  /// False if libsndfile cannot read it.
  bool is_open() const noexcept { return handle_ != nullptr; }
  /// libsndfile's SNDFILE*, whose true name depends on its version.
  void* handle() const noexcept { return handle_; }
  /// libsndfile's SF_FORMAT_ bits.
  int format() const noexcept { return format_; }
  /// The information of the headers; nullopt if the container has no name in AudioInfo or gives no length.
  std::optional<AudioInfo> info() const;
  std::uint32_t sample_rate() const noexcept { return sample_rate_; }
  std::uint32_t channels() const noexcept { return channels_; }

  /// Starts again at the first frame.
  void reopen();
  /// Throws the Error of a failed read of the file, if there was one. libsndfile only sees an early end.
  void check_input() const;

 private:
  struct Io;
  void open();
  void open_handle();
  void close_handle();
  Bytes read_some(std::uint64_t at);
  void show_size(std::span<std::byte> bytes) const;

  std::span<const std::byte> memory_;
  base::File file_;  // not open when `memory_` is read
  std::int64_t position_ = 0;
  std::exception_ptr failure_;
  /// See find_unset_data_size() and find_short_data_size(): libsndfile is shown the largest size there.
  std::optional<std::size_t> wrong_size_;
  void* handle_ = nullptr;
  int format_ = 0;
  std::uint32_t sample_rate_ = 0;
  std::uint32_t channels_ = 0;
  std::int64_t frames_ = 0;
};

}  // namespace shardmill::audio
