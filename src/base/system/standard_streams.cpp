#include "base/system/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.hpp"

namespace shardmill::base {

void open_standard_streams() {
  for (const int number : std::array{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // Results must not get lost in silence: writing to standard output goes on failing.
    const int mode = number == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    // The lowest free number is the one that is missing. It is inherited, as the others are.
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

}  // namespace shardmill::base
