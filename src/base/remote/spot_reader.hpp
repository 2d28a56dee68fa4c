// SpotReader: single ranges of an object on a server, for readers who jump.
// What such readers ask besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/remote/object.hpp"

namespace shardmill::base {

/// Asks for exactly the bytes that are wanted, and keeps none. Thread-safe.
class SpotReader {
 public:
  /// Throws Error if there is no such object, or it may not be read.
  explicit SpotReader(std::string address);

  std::uint64_t size() const noexcept { return object_->size(); }
  /// As RemoteObject::read_at().
  std::size_t read_at(std::span<std::byte> out, std::uint64_t offset) const;

 private:
  std::string address_;
  std::shared_ptr<const RemoteObject> object_;
};

/// The file at an address; nullopt only if the server answers 404. Throws Error for other refusals, as 403.
std::optional<RemoteEntry> remote_file_entry(const std::string& address);

/// As known_address(), but forgets any other address with the same result.
std::string latest_known_address(const std::string& address);

}  // namespace shardmill::base
