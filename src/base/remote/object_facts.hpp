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

struct ObjectFacts {
  std::uint64_t bytes = 0;
  std::string etag{};                // empty: it has none that names its bytes
  std::string modified{};            // as the server writes it
  std::optional<std::string> md5{};  // as the server says; nullopt: unknown
  std::vector<std::byte> begin{};    // the first bytes, as far as they came with the answer

  /// The server's name for this version of the bytes; empty: it has none.
  const std::string& version() const noexcept { return etag.empty() ? modified : etag; }
};

/// Asks the server. Throws Error if the object is missing or may not be read, or its size is unknown.
ObjectFacts facts_of_object(const std::string& address);

/// The MD5 that a bucket gives an object which was sent in one piece: its tag. Nullopt for other tags, and
/// for objects that are encrypted there, whose tags have another meaning.
std::optional<std::string> md5_in_tag(const std::string& address, const HttpAnswer& answer);

/// Facts that look_at_remote_objects() keeps; null: none are kept.
std::shared_ptr<const ObjectFacts> kept_facts(const std::string& address);

}  // namespace shardmill::base
