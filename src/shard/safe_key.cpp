#include "shard/safe_key.hpp"

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"
#include "base/text/utf8.hpp"

namespace shardmill::shard {
namespace {

/// Dots, slashes, and characters that are invisible or could fake a line: controls, blanks, direction marks.
bool is_unsafe(char32_t c) {
  return c <= 0x20 || c == '.' || c == '/' || c == '\\' || (c >= 0x7f && c <= 0xa0) || c == 0xad ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) ||
         (c >= 0x205f && c <= 0x206f) || c == 0x3000 || c == 0xfeff;
}

/// NeMo and Lhotse take KEY-sub1 for a part of the audio file KEY.
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

std::string safe_extension(std::string_view extension) {
  std::string safe = base::lower(extension);
  for (char& c : safe) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return safe;
}

}  // namespace shardmill::shard
