// Errors for the inside of the program: of failed system calls and of a failing machine; and texts made safe
// to show.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardmill/error.hpp"

namespace shardmill {

/// The error for a system call that has just failed: call this at once, because errno names the cause.
/// `doing` reads like "cannot open". Throws FatalError instead when the machine fails.
Error system_error(const std::string& doing, const std::string& path);

/// A write failed because the reader of the pipe is gone.
class BrokenPipe : public Error {
 public:
  using Error::Error;
};

/// `text` with its control characters written as \xNN, so that it is safe in one line of a message or a list.
std::string printable(std::string_view text);

/// Several errors that do not depend on each other. As an Error, it is the first of them.
class SeveralErrors : public Error {
 public:
  explicit SeveralErrors(std::vector<Error> errors) : Error(errors.front()), errors_(std::move(errors)) {}

  const std::vector<Error>& errors() const noexcept { return errors_; }

 private:
  std::vector<Error> errors_;
};

/// Collects the errors of steps that do not depend on each other, so that a user sees all of them at once.
class Faults {
 public:
  /// Runs `step`, and keeps its error. Returns false if there was one. An Interrupted is thrown.
  template <typename Step>
  bool attempt(const Step& step) {
    try {
      step();
      return true;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error&) {
      keep_current();
      return false;
    }
  }
  bool empty() const noexcept { return errors_.empty(); }
  const std::vector<Error>& errors() const noexcept { return errors_; }
  /// Throws the only error as it was, or SeveralErrors. Does nothing without errors.
  void check() const;

 private:
  void keep_current();

  std::exception_ptr first_;
  std::vector<Error> errors_;
};

/// An error that ends the run, because leaving out a sample would not help: the machine fails (descriptors,
/// memory, a disk), or a source changes while it is read. It is not an Error, so code that turns errors into
/// findings does not catch it.
class FatalError : public std::exception {
 public:
  explicit FatalError(const Error& error) : error_(error) {}

  const char* what() const noexcept override { return error_.what(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// True if `code` (an errno) is about the machine and not about a file.
bool is_machine_failure(int code) noexcept;

}  // namespace shardmill
