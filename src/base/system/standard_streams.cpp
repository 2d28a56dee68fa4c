#include "base/system/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/error.hpp"

namespace shardmill::base {

void open_standard_streams() {
  for (const int number : std::array{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // Results must not vanish without an error: writing to standard output must still fail.
    const int mode = number == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    // open() returns the lowest free number, which is the missing one. No O_CLOEXEC: children inherit it like
    // the others.
    if (::open("/dev/null", mode) != number) throw system_error("cannot open", "/dev/null");
  }
}

void write_to_standard_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

void silence_libraries() noexcept {
  // glibc allows us to replace its streams.
  if (std::FILE* const nowhere = std::fopen("/dev/null", "we"); nowhere != nullptr) stderr = nowhere;
}

}  // namespace shardmill::base
