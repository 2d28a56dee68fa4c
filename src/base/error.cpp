#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/text/letters.hpp"

namespace shardmill {

namespace {

// The longest parts of names and texts in messages. Paths may be longest, because users need them whole.
constexpr std::size_t kMostPathBytes = 256;
constexpr std::size_t kMostMemberBytes = 200;
constexpr std::size_t kMostProblemBytes = 320;
constexpr std::size_t kMostAdviceBytes = 400;

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

/// True for a byte of a control character: of ASCII, or of U+0080 to U+009F, which terminals obey as well.
bool is_control(std::string_view text, std::size_t index) {
  constexpr unsigned char kLead = 0xC2;
  const auto ends_second_set = [&](std::size_t second) {
    return second < text.size() && byte_at(text, second) >= 0x80 && byte_at(text, second) <= 0x9F &&
           byte_at(text, second - 1) == kLead;
  };
  const unsigned char byte = byte_at(text, index);
  return byte < 0x20 || byte == 0x7F || ends_second_set(index + 1) || (index > 0 && ends_second_set(index));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_control(text, i)) {
      out += fmt::format("\\x{:02x}", byte_at(text, i));
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string to_string(const Where& where) {
  std::string out = base::shortened(printable(where.path), kMostPathBytes);
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : ": ") + part; };
  if (!where.member.empty())
    add(fmt::format("member '{}'", base::shortened(printable(where.member), kMostMemberBytes)));
  if (where.block && where.offset) {
    add(fmt::format("block {} at offset {}", *where.block, *where.offset));
  } else if (where.block) {
    add(fmt::format("block {}", *where.block));
  } else if (where.offset) {
    add(fmt::format("offset {}", *where.offset));
  }
  return out;
}

Error::Error(std::string problem, Where where, std::string advice, Remedy remedy)
    : problem_(std::move(problem)), where_(std::move(where)), advice_(std::move(advice)), remedy_(remedy) {
  const std::string place = to_string(where_);
  const std::string problem_text = base::shortened(printable(problem_), kMostProblemBytes);
  text_ = place.empty() ? problem_text : place + ": " + problem_text;
  if (!advice_.empty()) text_ += " (" + base::shortened(printable(advice_), kMostAdviceBytes) + ")";
}

Error Error::within(const Where& outer) const {
  Where merged = where_;
  if (merged.path.empty()) merged.path = outer.path;
  if (merged.member.empty()) merged.member = outer.member;
  if (!merged.offset) merged.offset = outer.offset;
  if (!merged.block) merged.block = outer.block;
  return Error(problem_, merged, advice_, remedy_);
}

Interrupted::Interrupted(int signal_number)
    : Error(signal_number == SIGINT ? "interrupted" : "stopped by a signal"), signal_number_(signal_number) {}

Error system_error(const std::string& doing, const std::string& path) {
  const int code = errno;
  std::string advice;
  if (code == ENOSPC || code == EDQUOT) advice = "make room, then run the same command again";
  if (code == EFBIG) advice = "the limit on file sizes (ulimit -f), or the filesystem, allows no larger file";
  if (code == EMFILE) advice = "raise the limit on open files: ulimit -n";
  if (code == ENFILE) advice = "too many files are open on this machine";
  if (code == EIO) advice = "the disk or the filesystem fails: see dmesg";
  Error error(doing + ": " + std::strerror(code), at(path), advice);
  if (is_machine_failure(code)) throw FatalError(error);
  return error;
}

bool is_machine_failure(int code) noexcept {
  constexpr std::array kOfTheMachine{EMFILE,    ENFILE,    ENOMEM, EAGAIN,   EIO,
                                     EFBIG,     ENOSPC,    EDQUOT, ENODEV,   ESTALE,
                                     ETIMEDOUT, EREMOTEIO, ENXIO,  ENOTCONN, EHOSTUNREACH};
  return std::ranges::find(kOfTheMachine, code) != kOfTheMachine.end();
}

void Faults::keep_current() {
  try {
    throw;
  } catch (const SeveralErrors& several) {
    for (const Error& error : several.errors()) errors_.push_back(error);
    first_ = std::current_exception();
  } catch (const Error& error) {
    errors_.push_back(error);
    if (errors_.size() == 1) first_ = std::current_exception();
  }
}

void Faults::check() const {
  if (errors_.empty()) return;
  if (errors_.size() == 1) std::rethrow_exception(first_);
  throw SeveralErrors(errors_);
}

}  // namespace shardmill
