// Errors as the inside of the program makes them: of system calls, and with texts that are safe to show.
#pragma once

#include <string>
#include <string_view>

#include "shardmill/error.hpp"

namespace shardmill {

/// Error for a failed system call; call right after it, errno names the cause.
/// `doing` reads like "cannot open".
Error system_error(const std::string& doing, const std::string& path);

/// Nobody reads what is written to a pipe any more.
class BrokenPipe : public Error {
 public:
  using Error::Error;
};

/// `text` made safe for one line of a message or a list: control characters as \xNN.
std::string printable(std::string_view text);

}  // namespace shardmill
