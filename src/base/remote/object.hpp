// RemoteObject: the bytes of a file on a web server or in a bucket, read by ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace shardmill::base {

/// Bytes of a source that were already used turn out to be wrong, so everything made from them is worthless.
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

/// What there is at an address. Of web servers, only files are known.
struct RemoteEntry {
  enum class Kind { nothing, file, folder };

  Kind kind = Kind::nothing;
  std::uint64_t bytes = 0;
  std::string version{};  // of a file; empty: not known
};

/// Nothing, if the server knows no such object, or does not show it. Throws Error if it cannot be asked.
RemoteEntry remote_entry(const std::string& address);
/// The same without a question for addresses that are no folders in any case.
bool is_remote_folder(const std::string& address);
/// What a list says that is held; nullopt: none is.
std::optional<RemoteEntry> listed_remote_entry(const std::string& address);
/// The addresses of the files and folders in a folder, in their order.
std::vector<std::string> remote_entries(const std::string& folder);

/// Until it is released as often, the folder in a bucket looks as it does now: no more questions about what
/// is there. Throws Error if it cannot be listed.
void hold_remote_list(const std::string& folder);
void release_remote_list(const std::string& folder) noexcept;

/// Makes look_at_remote_objects() work. Only for a program that ends after one command: what an object is
/// then stays the same for the whole process.
void keep_remote_facts();
/// From the first request on, this program leaves no core behind: the memory holds keys and passwords then.
/// Not for a library, whose process belongs to others.
void keep_secrets_out_of_cores();
/// Asks the servers for all these objects, several at a time. Later, each is opened without another request,
/// in the version that it has now. Does nothing before keep_remote_facts().
void look_at_remote_objects(const std::vector<std::string>& addresses);

/// Whoever waits long for a server is told of it now and then: "http://host answers 503; the next attempt is
/// in 20 s". `tell` is called by any thread; an empty one ends it.
void tell_of_long_waits(std::function<void(const std::string& news)> tell);

/// What a server keeps of the bytes of a file. A sum that it does not keep is empty.
struct KeptSums {
  std::uint64_t bytes = 0;
  std::string tag{};     // another one for other bytes, mostly
  std::string crc64{};   // CRC-64/NVME of all bytes, in base 64
  std::string sha256{};  // of all bytes, in base 64
};

/// Nullopt for web servers. Throws Error if there is no such object.
std::optional<KeptSums> remote_sums(const std::string& address);

/// The addresses of all objects below `prefix` (s3://BUCKET/PREFIX), in the order of their keys.
std::vector<std::string> remote_objects(const std::string& prefix);

/// `address` without its secrets. From now on open() knows which secrets belong to the result, and that a
/// name and a password belong to all addresses of the same server.
std::string known_address(const std::string& address);
/// From now on `address` has the same secrets as `known`, a result of known_address().
void share_secrets(const std::string& known, const std::string& address);
/// True if a request for this address, a result of known_address(), has a signature or a password.
bool has_secrets(const std::string& known);

/// To be called once by a program that is forked while it reads: its children make connections of their own.
void keep_connections_from_children();

/// Of the library that sends the requests; empty: this build has none.
std::string libcurl_version();

}  // namespace shardmill::base
