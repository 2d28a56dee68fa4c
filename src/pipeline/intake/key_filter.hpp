// Which samples are wanted, by their keys: patterns, and lists of keys in files. A key in a list takes 16
// bytes, whatever its length, because only its hash is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash/hash.hpp"
#include "manifest/reject.hpp"

namespace shardmill::pipeline {

/// Any thread may ask.
class KeyList {
 public:
  /// Ignores blank lines, and a CR at the end of a line. Throws Error when the file cannot be read.
  static KeyList read(const std::string& path);

  bool contains(std::string_view key) const { return find(key).has_value(); }
  /// The number of a key among all, from 0.
  std::optional<std::size_t> find(std::string_view key) const;
  std::size_t size() const noexcept { return hashes_.size(); }
  /// The hash of the set of keys. The order of the lines and repeated lines make no difference.
  base::Xxh128 hash() const;

 private:
  std::vector<base::Xxh128> hashes_;  // sorted, each once
};

/// Calls `take` with each key of the file, in the order of the lines.
void for_each_key(const std::string& path, const std::function<void(std::string_view key)>& take);

/// A file of keys that an option names.
struct KeyFile {
  std::string path{};                     // empty: none
  std::optional<base::Xxh128> hash{};     // of the keys, as in the records; none: not known yet
  std::shared_ptr<const KeyList> keys{};  // null: not read yet
};

/// Reads the keys, unless they have been read. Throws Error when they are not those of `hash`.
void read_keys(KeyFile& file);

/// Shell patterns for whole keys, as they are in the source: * also matches /, ? is one byte, [a-z] is a set.
struct KeyPatterns {
  std::vector<std::string> include{};  // when there are any, a key must match one
  std::vector<std::string> exclude{};  // it must match none
  KeyFile only{};                      // when there is one, a key must be in it
  KeyFile never{};                     // it must not be in this one

  /// Whether the user chooses samples by their keys.
  bool are_any() const {
    return !include.empty() || !exclude.empty() || !only.path.empty() || !never.path.empty();
  }
  bool includes(std::string_view key) const;
  /// The first pattern of `exclude` that matches; nullptr when none does.
  const std::string* excludes(std::string_view key) const;
  bool is_listed(std::string_view key) const { return only.keys == nullptr || only.keys->contains(key); }
  bool is_banned(std::string_view key) const { return never.keys != nullptr && never.keys->contains(key); }
  /// Why the user does not want samples with this key; nullopt when they are wanted.
  std::optional<std::pair<manifest::RejectReason, std::string>> find(const std::string& key) const;
  bool wants(std::string_view key) const { return !find(std::string(key)); }
};

/// Writes patterns as one text, each as a line, and reads them back.
std::string text_of(const std::vector<std::string>& patterns);
std::vector<std::string> patterns_of(std::string_view text);

}  // namespace shardmill::pipeline
