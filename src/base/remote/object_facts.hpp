// ObjectFacts: what a server says of an object before its bytes are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardmill::base {

struct HttpAnswer;

inline constexpr std::uint64_t kWholeBytes = 64 * 1024 * 1024;  // of a file from a server without ranges

struct ObjectFacts {
  std::uint64_t bytes = 0;
  std::string etag{};                // empty: it has none that names its bytes
  std::string weak_etag{};           // names what looks the same: where it differs, the bytes do
  std::string modified{};            // as the server writes it
  std::optional<std::string> md5{};  // as the server says; nullopt: unknown
  std::vector<std::byte> begin{};    // the first bytes, as far as they came with the answer

  /// The server's name for this version of the bytes; empty: it has none.
  std::string version() const { return etag.empty() ? modified + weak_etag : etag; }
  /// False if these are the facts of another version.
  bool may_be_same(const ObjectFacts& other) const;
};

/// Asks the server. Throws Error if the object is missing or may not be read, or its size is unknown.
ObjectFacts facts_of_object(const std::string& address);

/// The bytes that an answer says that it has: those from `begin` to `end`, of `bytes` in all. An answer that
/// there is no such range says only the last.
struct AnsweredRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::optional<std::uint64_t> bytes{};
};

/// Nullopt if the answer says nothing of the kind.
std::optional<AnsweredRange> range_in(const HttpAnswer& answer);

/// The names of the version in an answer with its bytes, and nothing else.
ObjectFacts version_in(const HttpAnswer& answer);

/// The MD5 that a bucket gives an object which was sent in one piece: its tag. Nullopt for other tags, and
/// for objects that are encrypted there, whose tags have another meaning.
std::optional<std::string> md5_in_tag(const std::string& address, const HttpAnswer& answer);

/// Facts that look_at_remote_objects() keeps; null: none are kept.
std::shared_ptr<const ObjectFacts> kept_facts(const std::string& address);

}  // namespace shardmill::base
