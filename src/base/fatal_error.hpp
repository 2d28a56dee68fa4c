// FatalError: what ends the run, because no finding and no sample left out can stand for it.
#pragma once

#include <exception>
#include <string>

#include "base/error.hpp"

namespace shardmill {

/// The machine fails (descriptors, memory, a disk), or a source changes while it is read. It is no Error, so
/// that whoever turns errors into findings lets it pass.
class FatalError : public std::exception {
 public:
  explicit FatalError(const Error& error) : text_(error.what()) {}

  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// True when this errno speaks of the machine and not of the file that was asked for.
bool is_machine_failure(int code) noexcept;

}  // namespace shardmill
