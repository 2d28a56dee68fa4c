// LineReader: the lines of a file of any size, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::base {

/// The longest line, in bytes, that any command reads; so it is also the longest that repack writes.
inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;

class LineReader {
 public:
  explicit LineReader(File file) : file_(std::move(file)) {}
  explicit LineReader(const std::string& path) : LineReader(File::open_read(path)) {}
  /// Reads the lines from `offset` on. It neither uses nor moves the position of the file, so several such
  /// readers can read one file at the same time.
  LineReader(const File& file, std::uint64_t offset) : file_(file.duplicate()), offset_(offset) {}

  /// Reads the next line without its '\n', valid until the next call; false at the end. Throws Error if the
  /// file cannot be read, and for a line longer than kLongestLine; the next call then continues with the line
  /// after it.
  bool next(std::string_view& line);

  /// The number of the line that next() read last, from 1.
  std::uint64_t line_number() const noexcept { return line_number_; }
  /// False if the line that next() read last ended with the file and not with '\n'.
  bool line_was_ended() const noexcept { return line_was_ended_; }
  const std::string& path() const noexcept { return file_.path(); }
  /// What is in memory already of the text behind the line that next() read last; valid until the next call.
  std::string_view ahead() const noexcept { return std::string_view(buffer_).substr(begin_); }

  /// Adds the file, and the line that next() read last, to an error.
  Error here(const Error& error) const;

 private:
  bool read_more();
  void skip_line();
  [[noreturn]] void refuse_line();

  File file_;
  std::optional<std::uint64_t> offset_;  // where to read next, unless the file itself keeps the position
  std::string buffer_;
  std::size_t begin_ = 0;       // the start of the text that next() has not returned yet
  std::size_t read_bytes_ = 0;  // the size of the last read
  std::uint64_t line_number_ = 0;
  bool line_was_ended_ = true;
  bool is_in_long_line_ = false;  // the rest of the line must be skipped
};

}  // namespace shardmill::base
