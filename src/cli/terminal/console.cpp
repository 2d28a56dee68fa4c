#include "cli/terminal/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <system_error>
#include <vector>

#include "base/remote/object.hpp"
#include "base/system/process.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "cli/advice.hpp"

namespace shardmill::cli {

namespace {

using std::chrono::duration;

constexpr std::chrono::seconds kRemembered{30};
constexpr double kShortestToForetell = 1;  // seconds; before that, no time is predicted

/// Good enough for paths and names: characters of East Asian scripts, and all later ones, are wide.
std::size_t columns_of(char32_t code_point) {
  constexpr char32_t kFirstWide = 0x1100;
  return code_point < kFirstWide ? 1 : 2;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

std::uint64_t per_second(std::uint64_t amount, double seconds) {
  return static_cast<std::uint64_t>(static_cast<double>(amount) / std::max(seconds, 1e-3));
}

}  // namespace

std::string fitted(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const base::Utf8Step step = base::first_utf8(text.substr(end));
    used += columns_of(step.code_point);
    if (used > columns) break;
    end += step.bytes;
  }
  return std::string(text.substr(0, end));
}

void ProgressLine::phase(std::string_view name, const base::Progress& progress, Time now) {
  phase_ = name;
  phase_start_ = now;
  phase_start_bytes_ = progress.input_bytes;
  moments_.clear();
  remember(progress, now);
}

void ProgressLine::remember(const base::Progress& progress, Time now) {
  while (moments_.size() > 1 && now - moments_[1].time > kRemembered) moments_.pop_front();
  moments_.push_back({.time = now, .input_bytes = progress.input_bytes});
}

std::string ProgressLine::time_left(const base::Progress& progress, Time now) const {
  const std::uint64_t done = progress.input_bytes;
  const std::uint64_t total = progress.input_bytes_total;
  if (moments_.empty() || done >= total) return {};
  const Moment& first = moments_.front();
  const double seconds = duration<double>(now - first.time).count();
  if (seconds < kShortestToForetell || done <= first.input_bytes) return {};
  const double rate = static_cast<double>(done - first.input_bytes) / seconds;
  const auto left = static_cast<std::uint64_t>(static_cast<double>(total - done) / rate);
  return fmt::format("{}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
}

std::string ProgressLine::text(const base::Progress& progress, Time now, std::size_t columns) {
  remember(progress, now);
  const std::uint64_t done = progress.input_bytes;
  const std::uint64_t total = progress.input_bytes_total;
  const double elapsed = duration<double>(now - start_).count();
  std::string text = phase_.empty() ? std::string() : phase_ + ": ";
  const double in_phase = std::floor(duration<double>(now - phase_start_).count());
  if (done == phase_start_bytes_ && in_phase >= 1) {
    text += base::format_elapsed(in_phase);
  } else {
    text += total != 0 ? fmt::format("{:3.0f}%", std::floor(100 * share(done, total)))
                       : fmt::format("{} read", base::format_size(done));
  }
  std::vector<std::string> more;  // the most important come first
  if (auto left = time_left(progress, now); !left.empty()) more.push_back(std::move(left));
  more.push_back(fmt::format("in {}/s", base::format_size(per_second(done, elapsed))));
  if (progress.output_bytes != 0)
    more.push_back(fmt::format("out {}/s", base::format_size(per_second(progress.output_bytes, elapsed))));
  if (progress.samples != 0) {
    more.push_back(base::format_count(progress.samples, "sample"));
    more.push_back(base::format_audio(static_cast<double>(progress.audio_milliseconds) / 1e3));
  }
  text = fitted(text, columns);
  for (const std::string& part : more) {
    if (text.size() + 2 + part.size() > columns) break;
    text += "  " + part;
  }
  return text;
}

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
  base::tell_of_long_waits([this](const std::string& news) { print_line(prefix_ + news); });
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
  base::tell_of_long_waits({});
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
