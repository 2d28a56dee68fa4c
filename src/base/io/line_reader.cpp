#include "base/io/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace shardmill::base {

namespace {

// The buffer starts small and grows: corpora have many small files and a few large ones.
constexpr std::size_t kFirstReadBytes = std::size_t{1} << 12;
constexpr std::size_t kMostReadBytes = std::size_t{1} << 18;

}  // namespace

bool LineReader::read_more() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  read_bytes_ = std::clamp(2 * read_bytes_, kFirstReadBytes, kMostReadBytes);
  buffer_.resize(kept + read_bytes_);
  const auto space = std::as_writable_bytes(std::span(buffer_).subspan(kept));
  const std::size_t got = offset_ ? file_.read_at(space, *offset_) : file_.read(space);
  if (offset_) *offset_ += got;
  buffer_.resize(kept + got);
  return got > 0;
}

void LineReader::refuse_line() {
  ++line_number_;
  throw here(Error(fmt::format("is longer than {} bytes", kLongestLine)));
}

void LineReader::skip_line() {
  is_in_long_line_ = false;
  std::size_t end = 0;
  while ((end = buffer_.find('\n', begin_)) == std::string::npos) {
    begin_ = buffer_.size();
    if (!read_more()) return;
  }
  begin_ = end + 1;
}

bool LineReader::next(std::string_view& line) {
  if (is_in_long_line_) skip_line();
  std::size_t searched = begin_;
  std::size_t end = 0;
  while ((end = buffer_.find('\n', searched)) == std::string::npos) {
    const std::size_t pending = buffer_.size() - begin_;
    if (pending > kLongestLine) {
      is_in_long_line_ = true;
      refuse_line();
    }
    if (read_more()) {
      searched = pending;
      continue;
    }
    if (pending == 0) return false;
    end = buffer_.size();
    break;
  }
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  line_was_ended_ = end < buffer_.size();
  begin_ = end + (line_was_ended_ ? 1 : 0);
  if (line.size() > kLongestLine) refuse_line();
  ++line_number_;
  return true;
}

Error LineReader::here(const Error& error) const {
  Where where = error.where();
  if (where.path.empty()) where.path = path();
  return Error(fmt::format("line {}: {}", line_number_, error.problem()), std::move(where), error.advice(),
               error.remedy());
}

}  // namespace shardmill::base
