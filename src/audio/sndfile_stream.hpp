// SndfileStream: encoded audio in memory or in a file, opened with libsndfile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "base/io/file.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

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
