// RemoteObject: the bytes of a file on a web server or in a bucket, read by ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace shardmill::base {

/// Bytes of a source that were already used turn out to be wrong: what was made of them is worth nothing.
class SpoiledSource : public FatalError {
 public:
  using FatalError::FatalError;
};

/// One version of an object: a range of another version is an error, never mixed in. Ranges that
/// were just read or are needed next are kept in memory, within a bound for all objects together.
/// Thread-safe.
class RemoteObject {
 public:
  /// `address`: http://, https:// or s3://. Throws Error if the object is missing or may not be read, or the
  /// server cannot be reached after several attempts.
  static std::shared_ptr<const RemoteObject> open(const std::string& address);

  RemoteObject(const RemoteObject&) = delete;
  RemoteObject& operator=(const RemoteObject&) = delete;
  virtual ~RemoteObject() = default;

  /// As it may be shown: cut at '?'.
  const std::string& shown() const noexcept { return shown_; }
  std::uint64_t size() const noexcept { return size_; }
  /// The server's name for this version of the bytes; empty: it has none.
  const std::string& version() const noexcept { return version_; }

  /// Reads up to out.size() bytes; fewer only at the end. Throws Error when the server does not give them
  /// after several attempts, FatalError when the object is another by now.
  virtual std::size_t read_at(std::span<std::byte> out, std::uint64_t offset) const = 0;
  /// Asks the server again. Throws FatalError when the object is another by now.
  virtual void check_unchanged() const = 0;

 protected:
  RemoteObject() = default;

  std::string shown_;
  std::uint64_t size_ = 0;
  std::string version_;
};

/// False if the server knows no such object, or does not show it. Throws Error if it cannot be asked.
bool remote_exists(const std::string& address);

/// The addresses of all objects below `prefix` (s3://BUCKET/PREFIX), in the order of their keys.
std::vector<std::string> remote_objects(const std::string& prefix);

/// `address` without its secrets. From now on open() knows which secrets belong to the result.
std::string known_address(const std::string& address);

/// Of the library that sends the requests; empty: this build has none.
std::string libcurl_version();

}  // namespace shardmill::base
