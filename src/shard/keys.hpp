// Keys: the rules by which the name of a member gives the key of its sample, the trouble that loaders have
// with names, and the safe names that every loader reads in the same way. KeySet: the keys that are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"

namespace shardmill::shard {

enum class KeyRule {
  wenet,       // key = the name up to its last dot
  webdataset,  // key = the name up to the first dot of its base name
};

std::optional<KeyRule> key_rule_by_name(std::string_view name);

struct KeyAndExtension {
  std::string key;        // with folders, but without a leading "./"
  std::string extension;  // without the dot, ASCII letters in lower case
};

/// nullopt if the base name has no dot, or nothing before or after it: such a member belongs to no sample.
/// (WeNet itself stops reading a shard at some of these, see loader_hazards().)
std::optional<KeyAndExtension> split_name(std::string_view member_name, KeyRule rule);

/// What a common loader does wrong with a member. The texts are static: one clause each, without the name.
struct LoaderHazard {
  std::string_view loader;  // "WeNet", "WebDataset"
  std::string_view effect;
  bool drops_rest = false;  // the loader drops the rest of the shard, and the sample before it
};

/// `type` as in a tar header: '0' is a regular file, '5' a folder, '1' and '2' are links.
std::vector<LoaderHazard> loader_hazards(std::string_view member_name, char type);

/// True for wav, flac, m4a and so on, and for those of videos; in lower case. Only the content shows what a
/// file really is.
bool is_audio_extension(std::string_view extension);
/// True for mp4, webm, mkv and so on. A video beside other audio of its sample does not count as audio.
bool is_video_extension(std::string_view extension);

inline constexpr std::size_t kMaxKeyBytes = 80;

/// The key under which a sample is written. Each dot, slash, backslash, blank, control character and invalid
/// UTF-8 becomes "_"; "-sub" becomes "_sub", because NeMo and Lhotse read KEY-sub1 as a part of KEY; "__" at
/// the beginning becomes "x__", because loaders skip such names. The result is never empty and has at most
/// kMaxKeyBytes bytes: a longer key is cut and ends with a hash of the whole. Depends only on `source_key`;
/// different keys may become equal.
std::string safe_key(std::string_view source_key);

/// The key of a sample that is taken once more: "a_x2".
std::string copy_key(std::string_view key, std::uint64_t copy);
/// The key of the sample that this is a copy of; empty if it is not a copy. Keys may have the name of the
/// dataset in front.
std::string copied_key(std::string_view key, std::string_view dataset, std::string_view source_key);

/// Keeps lower-case letters, digits, "-" and "_"; replaces everything else by "_".
std::string safe_extension(std::string_view extension);

/// True for the extensions of video containers, rare codecs, MIDI and PCM without a header. A sample without
/// other audio may mean such a member.
bool may_hold_audio(std::string_view extension);

/// The set of keys that are taken. It keeps 128-bit hashes: 50 million keys of any length take about 1.1 GB.
/// One thread at a time.
class KeySet {
 public:
  KeySet();

  /// False if the key is already in the set.
  bool insert(std::string_view key) { return insert(base::xxh3_128(base::as_bytes(key))); }
  bool insert(const base::Xxh128& key_hash);
  bool contains(std::string_view key) const;
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t slot_of(const base::Xxh128& key_hash) const;
  void grow();

  std::vector<base::Xxh128> slots_;  // open addressing; a slot of zeros is free
  std::size_t size_ = 0;
  bool zero_taken_ = false;  // the hash of all zeros is in the set; no slot can hold it
};

}  // namespace shardmill::shard
