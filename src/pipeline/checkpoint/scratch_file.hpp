// Scratch files: a log that only grows (AppendLog) and can be cut back to a checkpoint; and checks that
// scratch files still hold the bytes that were written: a disk may flip a bit between two runs, or between
// writing and reading.
// HeldStore: keeps the samples that wait for the end of the deal in a scratch file, so that memory does not
// grow with them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "deal/rest.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// The size of a growing file and the hash of its bytes.
struct FileMark {
  std::uint64_t bytes = 0;
  std::uint64_t hash = base::RunningHash().digest();
};

/// The hash of the first `bytes` bytes of a file. Throws Error when the file is shorter.
base::RunningHash hash_of_start(const std::string& path, std::uint64_t bytes,
                                const std::function<void()>& between_steps = {});

/// The hash of the marked bytes, with which the file can be continued. Throws Error when bytes are missing or
/// have changed.
base::RunningHash check_file(const std::string& path, const FileMark& mark,
                             const std::function<void()>& between_steps = {});

/// The error for a scratch file whose bytes have changed.
Error scratch_damage(const std::string& path);

/// One thread at a time.
class AppendLog {
 public:
  explicit AppendLog(const std::string& path) : file_(base::File::open_update(path)) {}

  void append(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void append(std::span<const std::byte> bytes) {
    append(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  /// Reads bytes that were appended before. Throws Error when there is less.
  void read(std::span<std::byte> out, std::uint64_t offset);
  void sync() {
    flush();
    file_.sync();
  }
  /// Describes everything appended so far. Call sync() first.
  FileMark mark() const { return {.bytes = written_bytes_, .hash = hash_.digest()}; }
  /// Drops everything after `mark`. Throws Error when the file is shorter, or its bytes have changed.
  void restore(const FileMark& mark);

 private:
  static constexpr std::size_t kBufferBytes = 64 << 10;

  void flush();

  base::File file_;
  std::uint64_t written_bytes_ = 0;
  base::RunningHash hash_;  // of these bytes
  std::string buffer_;
};

/// The path of the scratch file in a run's work folder.
std::string held_path(const std::string& work_folder);

class HeldStore {
 public:
  struct Entry {
    deal::HeldSample sample;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  // including the checksum
  };

  explicit HeldStore(const std::string& path) : HeldStore(base::File::open_update(path)) {}
  /// Opens what another run wrote, only for reading.
  static HeldStore open_read(const std::string& path) { return HeldStore(base::File::open_read(path)); }

  /// Reserves a place for `bytes` of a serialised utterance, and returns its number. One thread at a time.
  std::size_t reserve(const deal::HeldSample& sample, std::uint64_t bytes);
  /// Writes an utterance to its place, with a checksum. Thread-safe, in any order.
  void write(const Entry& entry, std::span<const std::byte> utterance) const;
  /// Throws Error when the bytes have changed since they were written.
  Utterance read(const Entry& entry) const;

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  void sync() const { file_.sync(); }
  /// Gives the space of everything before `offset` back to the filesystem, if that can free a part of a file.
  void free_before(std::uint64_t offset) const noexcept;
  /// Drops everything after these entries. Throws Error when their bytes have changed since they were
  /// written.
  void restore(std::vector<Entry> entries);

 private:
  explicit HeldStore(base::File file) : file_(std::move(file)) {}

  Bytes read_bytes(const Entry& entry) const;
  std::uint64_t end() const { return entries_.empty() ? 0 : entries_.back().offset + entries_.back().bytes; }

  base::File file_;
  std::vector<Entry> entries_;
};

}  // namespace shardmill::pipeline
