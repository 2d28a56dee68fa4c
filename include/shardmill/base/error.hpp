// Error: the one exception of the project; says what went wrong, where, and what to do about it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace shardmill {

/// The place an error or a finding speaks of. Empty fields are left out of messages.
struct Where {
  std::string path{};                     // file, as the user named it
  std::string member{};                   // file inside the tar
  std::optional<std::uint64_t> offset{};  // byte offset in `path` (compressed, where it is compressed)
  std::optional<std::uint64_t> block{};   // index of the compressed block, counted from 0
};

/// Just the file.
inline Where at(std::string path) {
  return Where{.path = std::move(path)};
}

/// "path: member 'm': block 3 at offset 123" with what is known; control characters escaped.
std::string to_string(const Where& where);

class Error : public std::exception {
 public:
  explicit Error(std::string problem, Where where = {}, std::string advice = {});

  const std::string& problem() const noexcept { return problem_; }
  const std::string& advice() const noexcept { return advice_; }
  const Where& where() const noexcept { return where_; }

  /// The same error with the fields that are still empty filled from `outer`: for callers that know more.
  Error within(const Where& outer) const;

  /// One line: "where: problem (advice)".
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string problem_;
  Where where_;
  std::string advice_;
  std::string text_;
};

/// Error for a failed system call; call right after it, errno names the cause.
/// `doing` reads like "cannot open".
Error system_error(const std::string& doing, const std::string& path);

/// Nobody reads what is written to a pipe any more.
class BrokenPipe : public Error {
 public:
  using Error::Error;
};

/// Wrong options or arguments: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// `text` made safe for one line of a message or a list: control characters as \xNN.
std::string printable(std::string_view text);

}  // namespace shardmill
