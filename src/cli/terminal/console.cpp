#include "cli/terminal/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/system/process.hpp"
#include "cli/advice.hpp"

namespace shardmill::cli {

namespace {

constexpr std::chrono::milliseconds kBarInterval{200};
constexpr std::chrono::seconds kPlainInterval{10};
constexpr const char* kEraseLine = "\r\033[K";

// For terminals of unknown width, and for output to a file.
constexpr std::size_t kUsualColumns = 80;

}  // namespace

Console::Console(std::string_view command, const CommonOptions& options)
    : command_(command), prefix_(fmt::format("shardmill {}: ", command)) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  ProgressMode mode = options.quiet ? ProgressMode::none : options.progress;
  if (mode == ProgressMode::automatic) mode = terminal ? ProgressMode::bar : ProgressMode::plain;
  if (mode == ProgressMode::none) return;
  bar_ = mode == ProgressMode::bar;
  try {
    display_ = std::thread([this] { show_progress(); });
  } catch (const std::system_error& failure) {
    throw Error("cannot start a thread: " + failure.code().message(), {}, "raise the limit: ulimit -u");
  }
}

Console::~Console() {
  end_progress();
}

void Console::end_progress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (display_.joinable()) display_.join();
}

void Console::warn(const Error& warning) {
  print_line(fmt::format("{}warning: {}", prefix_, text_of(warning, command_)));
}

void Console::fail(const Error& error) {
  print_line(fmt::format("{}error: {}", prefix_, text_of(error, command_)));
}

void Console::phase(std::string_view name) {
  const std::lock_guard lock(mutex_);
  line_.phase(name, progress(), std::chrono::steady_clock::now());
}

int Console::stop_signal() const noexcept {
  return base::stop_signal();
}

void Console::print_line(const std::string& line) {
  const std::lock_guard lock(mutex_);
  base::write_to_standard_error(fmt::format("{}{}\n", line_shown_ ? kEraseLine : "", line));
  line_shown_ = false;
}

std::size_t Console::columns() const {
  struct winsize window {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return kUsualColumns;
  return window.ws_col;
}

void Console::show_progress() {
  std::unique_lock lock(mutex_);
  const auto interval = bar_ ? std::chrono::duration_cast<std::chrono::milliseconds>(kBarInterval)
                             : std::chrono::duration_cast<std::chrono::milliseconds>(kPlainInterval);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) {
    const std::string shown = bar_ ? kEraseLine : prefix_;
    // The last column stays free, because some terminals move to the next line when it is used.
    const std::size_t room = columns() - 1 - (bar_ ? 0 : std::min(prefix_.size(), columns() - 1));
    const std::string text = line_.text(progress(), std::chrono::steady_clock::now(), room);
    base::write_to_standard_error(fmt::format("{}{}{}", shown, text, bar_ ? "" : "\n"));
    line_shown_ = bar_;
  }
  if (line_shown_) base::write_to_standard_error(kEraseLine);
  line_shown_ = false;
}

}  // namespace shardmill::cli
