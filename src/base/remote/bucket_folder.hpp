// BucketFolder: the objects below s3://BUCKET/PREFIX, which are listed, written and removed as the files of a
// folder are.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote/url.hpp"

namespace shardmill::base {

struct HttpAnswer;

/// Thread-safe. Names are relative to the folder. Each request is sent again for as long as that may help;
/// then an Error says what the server answered.
class BucketFolder {
 public:
  struct Object {
    std::uint64_t bytes = 0;
    std::string etag{};
    // Of an object that was asked for alone; empty: the server keeps none.
    std::string crc64{};
    std::string sha256{};  // in base 64
  };
  /// An upload in parts that is not completed.
  struct Upload {
    std::string name;
    std::string id;

    auto operator<=>(const Upload&) const = default;
  };
  struct Part {
    std::uint64_t bytes = 0;
    std::string etag{};
    std::string crc64{};  // empty: the server keeps none
  };
  using Objects = std::map<std::string, Object>;  // by their names
  using Parts = std::map<unsigned, Part>;         // by their numbers, from 1

  /// Throws UsageError if `address` is not that of a bucket.
  explicit BucketFolder(std::string address);

  /// Without a slash at its end.
  const std::string& address() const noexcept { return address_; }
  std::string address_of(std::string_view name) const;

  Objects list() const;
  /// The name of one that is there; empty: none is. Throws Error if there are no lists.
  std::string any_object() const;
  /// Nullopt: there is no such object.
  std::optional<Object> find(const std::string& name) const;
  std::string read(const std::string& name) const;
  /// Returns the tag of the new object.
  std::string write(const std::string& name, std::string_view bytes) const;
  /// Returns false if there is an object of this name. Servers that do not know the condition replace it.
  bool write_new(const std::string& name, std::string_view bytes) const;
  /// An object that is missing counts as removed.
  void remove(const std::string& name) const;

  /// All unfinished uploads whose names start with `name`.
  std::vector<Upload> uploads(const std::string& name = {}) const;
  /// The id of a new upload. Nullopt: there was no answer, so that it may have begun or not.
  std::optional<std::string> begin_upload(const std::string& name) const;
  Part write_part(const Upload& upload, unsigned number, std::string_view bytes, std::uint64_t crc) const;
  /// Nullopt: the server does not know the upload.
  std::optional<Parts> parts(const Upload& upload) const;
  /// Returns the tag of the new object, or nullopt if the server does not know the upload: it may have been
  /// completed already.
  std::optional<std::string> complete(const Upload& upload, const Parts& parts, std::uint64_t crc) const;
  void abort(const Upload& upload) const;

 private:
  /// Whether the server takes CRC-64/NVME. If not, it compares the SHA-256 in the signature alone.
  enum class Sums { unknown, taken, not_taken };

  BucketKey key_of(const std::string& name) const;
  HttpAnswer ask(const std::string& method, const std::string& name, const std::string& query = {},
                 std::map<std::string, std::string> headers = {}, std::string_view body = {},
                 unsigned attempts = 9) const;
  HttpAnswer ask_with_sum(const std::string& method, const std::string& name, const std::string& query,
                          std::string_view body, std::map<std::string, std::string> sums,
                          unsigned attempts) const;
  [[noreturn]] void refuse(const HttpAnswer& answer, const std::string& name) const;

  std::string address_;
  BucketKey place_;
  mutable std::atomic<Sums> sums_{Sums::unknown};
};

}  // namespace shardmill::base
