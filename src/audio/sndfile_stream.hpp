// SndfileStream: encoded audio in memory or in a file, opened with libsndfile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "base/io/file.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// One thread at a time; several streams may be used at the same time.
class SndfileStream {
 public:
  /// `audio` must outlive the stream.
  explicit SndfileStream(std::span<const std::byte> audio);
  explicit SndfileStream(base::File file);
  SndfileStream(const SndfileStream&) = delete;
  SndfileStream& operator=(const SndfileStream&) = delete;
  ~SndfileStream();

  /// False when libsndfile cannot read it.
  bool is_open() const noexcept { return handle_ != nullptr; }
  /// libsndfile's SNDFILE*, whose true name depends on its version.
  void* handle() const noexcept { return handle_; }
  /// libsndfile's SF_FORMAT_ bits.
  int format() const noexcept { return format_; }
  /// What the headers say; nullopt when the container has no name here or gives no length.
  std::optional<AudioInfo> info() const;
  std::uint32_t sample_rate() const noexcept { return sample_rate_; }
  std::uint32_t channels() const noexcept { return channels_; }

  /// Starts again at the first frame.
  void reopen();
  /// Throws the Error with which reading the file failed, if it did. libsndfile would only see an early end.
  void check_input() const;

 private:
  struct Io;
  void open();
  void open_handle();
  void close_handle();
  void show_size(std::span<std::byte> bytes) const;

  std::span<const std::byte> memory_;
  base::File file_;  // not open when `memory_` is read
  std::int64_t position_ = 0;
  std::exception_ptr failure_;
  /// See find_unset_data_size(): libsndfile is shown the largest size there.
  std::optional<std::size_t> unset_size_;
  void* handle_ = nullptr;
  int format_ = 0;
  std::uint32_t sample_rate_ = 0;
  std::uint32_t channels_ = 0;
  std::int64_t frames_ = 0;
};

}  // namespace shardmill::audio
