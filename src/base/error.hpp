// Errors for the inside of the program: failed system calls, and texts made safe to show.
#pragma once

#include <string>
#include <string_view>

#include "shardmill/error.hpp"

namespace shardmill {

/// The error for a system call that has just failed: call this at once, because errno names the cause.
/// `doing` reads like "cannot open". Throws FatalError instead when the machine fails.
Error system_error(const std::string& doing, const std::string& path);

/// A write failed because nobody reads from the pipe any more.
class BrokenPipe : public Error {
 public:
  using Error::Error;
};

/// `text` with its control characters written as \xNN, so that it is safe in one line of a message or a list.
std::string printable(std::string_view text);

}  // namespace shardmill
