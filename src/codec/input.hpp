// Input: reads a file or a pipe from front to back, and can show the first bytes beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::codec {

/// One thread at a time. `file` must outlive it.
class Input {
 public:
  explicit Input(base::File& file) : file_(&file) {}

  /// The first bytes; fewer than `bytes` only if the file is shorter. Call it before the first read().
  std::span<const std::byte> peek(std::size_t bytes);
  /// Fills `out`; returns less only at the end of the file. Throws Error when reading fails.
  std::size_t read(std::span<std::byte> out);

  /// Continues at this place of a regular file.
  void jump(std::uint64_t offset);

  const base::File& file() const noexcept { return *file_; }
  const std::string& path() const noexcept { return file_->path(); }

 private:
  base::File* file_;
  std::vector<std::byte> peeked_;
  std::size_t taken_ = 0;  // the part of peeked_ that has been read
};

/// A part of a file.
struct Slice {
  std::vector<std::byte> bytes;
  std::uint64_t offset = 0;
  bool last = false;
};

/// Cuts an input into slices of one size. It reads one slice ahead, so that it knows which one is the last.
class Slicer {
 public:
  /// `offset`: the position of the input in its file.
  Slicer(Input input, std::size_t slice_bytes, std::uint64_t offset = 0);

  /// Gets the next slice; false at the end of the file. An empty file has no slices.
  bool next(Slice& slice);

 private:
  std::vector<std::byte> read_slice();

  Input input_;
  std::size_t slice_bytes_;
  std::uint64_t offset_;
  std::vector<std::byte> ahead_;
};

}  // namespace shardmill::codec
