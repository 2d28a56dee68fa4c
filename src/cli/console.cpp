#include "shardmill/cli/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "shardmill/base/units.hpp"

namespace shardmill::cli {

namespace {

constexpr std::chrono::milliseconds kBarInterval{200};
constexpr std::chrono::seconds kPlainInterval{10};

// Written by the signal handler, which may touch nothing else, on any thread; read by all.
std::atomic<int> stop_signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember_signal(int number) {
  stop_signal_number = number;
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Console::Console(std::string_view command, const CommonOptions& options)
    : prefix_(fmt::format("shardmill {}: ", command)) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  ProgressMode mode = options.quiet ? ProgressMode::none : options.progress;
  if (mode == ProgressMode::automatic) mode = terminal ? ProgressMode::bar : ProgressMode::plain;
  if (mode == ProgressMode::none) return;
  bar_ = mode == ProgressMode::bar;
  display_ = std::thread([this] { show_progress(); });
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
  print_line(fmt::format("{}warning: {}", prefix_, warning.what()));
}

void Console::fail(const Error& error) {
  print_line(fmt::format("{}error: {}", prefix_, error.what()));
}

void Console::phase(std::string_view name) {
  const std::lock_guard lock(mutex_);
  phase_ = name;
}

int Console::stop_signal() const noexcept {
  return stop_signal_number;
}

void Console::print_line(const std::string& line) {
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "{}{}\n", line_shown_ ? "\r\033[K" : "", line);
  line_shown_ = false;
}

std::string Console::progress_text() {
  using std::chrono::duration;
  const double elapsed = duration<double>(std::chrono::steady_clock::now() - start_).count();
  const base::Progress& now = progress();
  const std::uint64_t input = now.input_bytes;
  const std::uint64_t total = now.input_bytes_total;
  const double rate = static_cast<double>(input) / std::max(elapsed, 1e-3);
  std::string text = phase_.empty() ? std::string() : phase_ + ": ";
  if (total != 0) {
    text += fmt::format("{:3.0f}%  {} of {}", 100.0 * static_cast<double>(input) / static_cast<double>(total),
                        base::format_size(input), base::format_size(total));
  } else {
    text += fmt::format("{} read", base::format_size(input));
  }
  text += fmt::format("  in {}/s", base::format_size(static_cast<std::uint64_t>(rate)));
  const auto out_rate =
      static_cast<std::uint64_t>(static_cast<double>(now.output_bytes) / std::max(elapsed, 1e-3));
  if (now.output_bytes != 0) text += fmt::format("  out {}/s", base::format_size(out_rate));
  if (now.samples != 0) {
    text += fmt::format("  {}  {:.1f} h", base::format_count(now.samples, "sample"),
                        static_cast<double>(now.audio_milliseconds) / 3.6e6);
  }
  if (total > input && rate > 0 && elapsed > 1) {
    const auto left = static_cast<long>(static_cast<double>(total - input) / rate);
    text += fmt::format("  {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
  }
  return text;
}

void Console::show_progress() {
  std::unique_lock lock(mutex_);
  const auto interval = bar_ ? std::chrono::duration_cast<std::chrono::milliseconds>(kBarInterval)
                             : std::chrono::duration_cast<std::chrono::milliseconds>(kPlainInterval);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) {
    if (bar_) {
      fmt::print(stderr, "\r\033[K{}", progress_text());
      std::fflush(stderr);
      line_shown_ = true;
    } else {
      fmt::print(stderr, "{}{}\n", prefix_, progress_text());
    }
  }
  if (line_shown_) fmt::print(stderr, "\r\033[K");
  line_shown_ = false;
  std::fflush(stderr);
}

}  // namespace shardmill::cli
