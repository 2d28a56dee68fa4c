#include "shard/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"

namespace shardmill::shard {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::size_t base_begin(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == kNone ? 0 : slash + 1;
}

/// WebDataset matches ^((?:.*/|)[^.]+)[.]([^/]*)$, so it usually cuts at the first dot of the base name. A
/// base name with a dot at its start has a key only if the folder before it, with its slash, can match
/// "[^.]+".
bool webdataset_finds_key(std::string_view name) {
  const std::size_t base = base_begin(name);
  const std::size_t dot = name.find('.', base);
  if (dot == kNone) return false;
  if (dot > base) return true;
  const std::size_t run = dot == 0 ? kNone : name.find_last_of('.', dot - 1);
  if (run == kNone) return dot > 0;
  return name.find('/', run) < dot - 1;
}

/// WebDataset's default `skip_meta`, and its older rule for names without a folder.
bool webdataset_skips(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  return first.starts_with("__") && first.ends_with("__") &&
         (first.size() == name.size() || first.size() >= 4);
}

}  // namespace

std::optional<KeyRule> key_rule_by_name(std::string_view name) {
  if (name == "wenet") return KeyRule::wenet;
  if (name == "webdataset") return KeyRule::webdataset;
  return std::nullopt;
}

std::optional<KeyAndExtension> split_name(std::string_view member_name, KeyRule rule) {
  while (member_name.starts_with("./")) member_name.remove_prefix(2);
  const std::size_t base = base_begin(member_name);
  const std::size_t dot = rule == KeyRule::wenet ? member_name.rfind('.') : member_name.find('.', base);
  if (dot == kNone || dot <= base || dot + 1 == member_name.size()) return std::nullopt;
  return KeyAndExtension{std::string(member_name.substr(0, dot)), base::lower(member_name.substr(dot + 1))};
}

std::vector<LoaderHazard> loader_hazards(std::string_view member_name, char type) {
  std::vector<LoaderHazard> hazards;
  if (type != '0') {
    const bool is_folder = type == '5';
    hazards.push_back({"WeNet",
                       is_folder ? "drops the rest of the shard at a directory"
                                 : "may drop the rest of the shard at a member that is not a regular file",
                       is_folder});
    return hazards;
  }
  const std::size_t last_dot = member_name.rfind('.');
  const std::size_t base = base_begin(member_name);
  if (last_dot == kNone || last_dot == 0) {
    hazards.push_back(
        {"WeNet", "drops the rest of the shard at a name with no dot after its first character", true});
  } else if (last_dot < base) {
    hazards.push_back({"WeNet", "cuts the key at a dot in the folder's name"});
  }
  if (webdataset_skips(member_name)) {
    hazards.push_back({"WebDataset", "skips names with two underscores at the start and the end"});
  } else if (!webdataset_finds_key(member_name)) {
    hazards.push_back({"WebDataset", "skips a name in which it finds no key"});
  } else if (member_name.find('.', base) != last_dot) {
    hazards.push_back({"WebDataset", "cuts the key at the first dot"});
  }
  if (last_dot != kNone && last_dot >= base &&
      std::any_of(member_name.begin() + static_cast<std::ptrdiff_t>(last_dot), member_name.end(),
                  [](char c) { return c != base::lower(c); })) {
    hazards.push_back({"WeNet", "does not know an extension in capitals"});
  }
  return hazards;
}

bool is_audio_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 21> kAudio{"wav", "flac", "mp3", "ogg",  "opus", "m4a", "wma",
                                                    "sph", "aiff", "aif", "au",   "oga",  "aac", "amr",
                                                    "awb", "caf",  "w64", "aifc", "m4b",  "mka", "3gp"};
  return std::find(kAudio.begin(), kAudio.end(), extension) != kAudio.end() || is_video_extension(extension);
}

bool is_video_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 7> kVideo{"mp4", "webm", "mkv", "mov", "avi", "flv", "wmv"};
  return std::find(kVideo.begin(), kVideo.end(), extension) != kVideo.end();
}

namespace {

/// Dots, slashes, and characters that are invisible or could fake a line: controls, blanks, direction marks.
bool is_unsafe(char32_t c) {
  return c <= 0x20 || c == '.' || c == '/' || c == '\\' || (c >= 0x7f && c <= 0xa0) || c == 0xad ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) ||
         (c >= 0x205f && c <= 0x206f) || c == 0x3000 || c == 0xfeff;
}

/// NeMo and Lhotse read KEY-sub1 as a part of the audio file KEY.
void break_nemo_parts(std::string& key) {
  constexpr std::string_view kPart = "-sub";
  for (std::size_t at = key.find(kPart); at != std::string::npos; at = key.find(kPart, at)) key[at] = '_';
}

void cut_to(std::string& text, std::size_t bytes) {
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  text.resize(bytes);
}

}  // namespace

std::string safe_key(std::string_view source_key) {
  std::string safe;
  safe.reserve(source_key.size());
  for (std::string_view rest = source_key; !rest.empty();) {
    const base::Utf8Step step = base::first_utf8(rest);
    if (step.valid && !is_unsafe(step.code_point)) {
      safe += rest.substr(0, step.bytes);
    } else {
      safe += '_';
    }
    rest.remove_prefix(step.bytes);
  }
  if (safe.empty()) return "_";
  break_nemo_parts(safe);
  // Loaders skip names that begin so: to WebDataset and Energon they describe the shard.
  if (safe.starts_with("__")) safe.insert(0, 1, 'x');
  if (safe.size() > kMaxKeyBytes) {
    const std::string hash = base::xxh3_128(base::as_bytes(source_key)).hex().substr(0, 16);
    cut_to(safe, kMaxKeyBytes - 1 - hash.size());
    safe += '_';
    safe += hash;
  }
  return safe;
}

std::string copy_key(std::string_view key, std::uint64_t copy) {
  return safe_key(fmt::format("{}_x{}", key, copy));
}

std::string copied_key(std::string_view key, std::string_view dataset, std::string_view source_key) {
  constexpr std::string_view kDigits = "0123456789";
  const std::array<std::string, 2> own{safe_key(source_key),
                                       safe_key(fmt::format("{}_{}", dataset, source_key))};
  if (std::find(own.begin(), own.end(), key) != own.end()) return {};
  const std::size_t letters = key.find_last_not_of(kDigits);
  if (letters != std::string_view::npos && letters > 1 && letters + 1 < key.size() &&
      key.substr(letters - 1, 2) == "_x")
    return std::string(key.substr(0, letters - 1));
  // The end of a long key was cut.
  constexpr std::uint64_t kMostCopies = 64;
  for (const std::string& copied : own) {
    for (std::uint64_t copy = 2; copied.size() + 3 > kMaxKeyBytes && copy <= kMostCopies; ++copy) {
      if (copy_key(copied, copy) == key) return copied;
    }
  }
  return {};
}

std::string safe_extension(std::string_view extension) {
  std::string safe = base::lower(extension);
  for (char& c : safe) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return safe;
}

bool may_hold_audio(std::string_view extension) {
  constexpr std::array<std::string_view, 27> kOther{
      "webm", "weba", "mp4",  "mkv", "mka", "mov", "avi", "3gp", "flv", "wmv", "mpg", "mpeg", "ts", "m4b",
      "m4v",  "mid",  "midi", "pcm", "raw", "ac3", "dts", "ape", "wv",  "dsf", "tta", "spx",  "ra"};
  return std::find(kOther.begin(), kOther.end(), extension) != kOther.end();
}

namespace {

constexpr std::size_t kFirstSlots = 1 << 12;
constexpr base::Xxh128 kFree{};

}  // namespace

KeySet::KeySet() : slots_(kFirstSlots) {}

std::size_t KeySet::slot_of(const base::Xxh128& key_hash) const {
  std::uint64_t start = 0;
  std::memcpy(&start, key_hash.bytes.data(), sizeof start);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(start) & mask;
  while (slots_[slot] != kFree && slots_[slot] != key_hash) slot = (slot + 1) & mask;
  return slot;
}

bool KeySet::insert(const base::Xxh128& key_hash) {
  if (key_hash == kFree) return !std::exchange(zero_taken_, true);
  if (4 * (size_ + 1) > 3 * slots_.size()) grow();
  const std::size_t slot = slot_of(key_hash);
  if (slots_[slot] == key_hash) return false;
  slots_[slot] = key_hash;
  ++size_;
  return true;
}

bool KeySet::contains(std::string_view key) const {
  const base::Xxh128 key_hash = base::xxh3_128(base::as_bytes(key));
  return key_hash == kFree ? zero_taken_ : slots_[slot_of(key_hash)] == key_hash;
}

void KeySet::grow() {
  std::vector<base::Xxh128> old(2 * slots_.size());
  old.swap(slots_);
  for (const base::Xxh128& key_hash : old) {
    if (key_hash != kFree) slots_[slot_of(key_hash)] = key_hash;
  }
}

}  // namespace shardmill::shard
