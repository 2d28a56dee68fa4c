// FatalError: an error that ends the run, because leaving out a sample would not help.
#pragma once

#include <exception>

#include "base/error.hpp"

namespace shardmill {

/// Thrown when the machine fails (descriptors, memory, a disk), or when a source changes while it is read. It
/// is not an Error, so code that turns errors into findings does not catch it.
class FatalError : public std::exception {
 public:
  explicit FatalError(const Error& error) : error_(error) {}

  const char* what() const noexcept override { return error_.what(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// True when `code` (an errno) is about the machine and not about the file that was asked for.
bool is_machine_failure(int code) noexcept;

}  // namespace shardmill
