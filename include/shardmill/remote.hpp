// Files on web servers and in buckets, for callers who look at single places in them. Everything else of the
// library that reads takes addresses as it takes paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardmill/error.hpp"

namespace shardmill {

/// True for s3://…, http://… and https://….
bool is_address(std::string_view path) noexcept;

/// The address as it may be shown: without a password, and cut at its '?'.
std::string shown_address(const std::string& address);

/// Returns the same. From now on the library reads `address` where it is given the result; it forgets any
/// other address with the same result.
std::string known_address(const std::string& address);

/// What a server says of a file.
struct RemoteFacts {
  std::uint64_t bytes = 0;
  std::string version{};  // another one for other bytes, where the server has versions
};

/// Nullopt: there is no such file. Throws Error if the server cannot be asked.
std::optional<RemoteFacts> facts_of(const std::string& address);
/// Those of some files in a folder of a bucket, in the same order; the bucket is listed once.
std::vector<std::optional<RemoteFacts>> facts_in(const std::string& folder,
                                                 const std::vector<std::string>& names);

enum class RemoteKind { file, folder };
/// Throws Error if there is neither, or the server does not show it.
RemoteKind kind_of(const std::string& address);
/// The addresses of all files below a prefix in a bucket, in the order of their names.
std::vector<std::string> files_below(const std::string& prefix);

/// Reads ranges of one version of a file, each with a request of its own. Thread-safe.
class RemoteFile {
 public:
  /// Throws Error if there is no such file, or it may not be read.
  explicit RemoteFile(const std::string& address);
  ~RemoteFile();
  RemoteFile(const RemoteFile&) = delete;
  RemoteFile& operator=(const RemoteFile&) = delete;

  std::uint64_t bytes() const noexcept;
  /// Reads up to out.size() bytes; fewer only at the end. Throws Error if the server does not give them after
  /// several attempts, and if the file is another by now.
  std::size_t read_at(std::span<std::byte> out, std::uint64_t offset) const;

 private:
  class Object;
  std::unique_ptr<Object> object_;
};

/// To be called once by a process that reads such files and is forked: its children then make connections of
/// their own, and do not take the answers to each other's questions.
void keep_connections_from_children();

}  // namespace shardmill
