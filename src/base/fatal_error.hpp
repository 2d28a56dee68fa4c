// FatalError: an error that ends the run, because leaving out a sample would not help.
#pragma once

#include <exception>
#include <string>

#include "base/error.hpp"

namespace shardmill {

/// Thrown when the machine fails (descriptors, memory, a disk), or when a source changes while it is read. It
/// is not an Error, so code that turns errors into findings does not catch it.
class FatalError : public std::exception {
 public:
  explicit FatalError(const Error& error) : text_(error.what()) {}

  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// True when `code` (an errno) is about the machine and not about the file that was asked for.
bool is_machine_failure(int code) noexcept;

}  // namespace shardmill
