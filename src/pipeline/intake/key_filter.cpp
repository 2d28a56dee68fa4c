#include "pipeline/intake/key_filter.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"

namespace shardmill::pipeline {

void for_each_key(const std::string& path, const std::function<void(std::string_view key)>& take) {
  base::LineReader lines(path);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  for (std::string_view line; lines.next(line);) {
    if (lines.line_number() == 1) {
      if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
        throw Error("is UTF-16, not UTF-8", at(path), "convert the file: iconv -f UTF-16 -t UTF-8");
      if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) take(line);
  }
}

KeyList KeyList::read(const std::string& path) {
  KeyList list;
  for_each_key(path,
               [&](std::string_view key) { list.hashes_.push_back(base::xxh3_128(base::as_bytes(key))); });
  std::sort(list.hashes_.begin(), list.hashes_.end());
  list.hashes_.erase(std::unique(list.hashes_.begin(), list.hashes_.end()), list.hashes_.end());
  return list;
}

std::optional<std::size_t> KeyList::find(std::string_view key) const {
  const base::Xxh128 hash = base::xxh3_128(base::as_bytes(key));
  const auto found = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
  if (found == hashes_.end() || *found != hash) return std::nullopt;
  return static_cast<std::size_t>(found - hashes_.begin());
}

base::Xxh128 KeyList::hash() const {
  return base::xxh3_128(std::as_bytes(std::span(hashes_)));
}

void read_keys(KeyFile& file) {
  if (file.path.empty() || file.keys) return;
  auto keys = std::make_shared<const KeyList>(KeyList::read(file.path));
  const base::Xxh128 hash = keys->hash();
  if (file.hash && *file.hash != hash)
    throw Error("no longer holds the keys that the run began with", at(file.path), "put back the file",
                Remedy::start_over);
  file.hash = hash;
  file.keys = std::move(keys);
}

namespace {

auto first_match(const std::vector<std::string>& patterns, std::string_view key) {
  const std::string text(key);
  return std::find_if(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

}  // namespace

bool KeyPatterns::includes(std::string_view key) const {
  return include.empty() || first_match(include, key) != include.end();
}

const std::string* KeyPatterns::excludes(std::string_view key) const {
  const auto found = first_match(exclude, key);
  return found == exclude.end() ? nullptr : &*found;
}

std::optional<std::pair<manifest::RejectReason, std::string>> KeyPatterns::find(
    const std::string& key) const {
  using manifest::RejectReason;
  if (!includes(key))
    return std::pair(RejectReason::not_included, std::string("its key matches no --include"));
  if (const std::string* pattern = excludes(key))
    return std::pair(RejectReason::excluded, fmt::format("its key matches --exclude '{}'", *pattern));
  if (!is_listed(key))
    return std::pair(RejectReason::not_included, std::string("its key is not among those to include"));
  if (is_banned(key))
    return std::pair(RejectReason::excluded, std::string("its key is among those to exclude"));
  return std::nullopt;
}

std::string text_of(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns) text += pattern + "\n";
  return text;
}

std::vector<std::string> patterns_of(std::string_view text) {
  std::vector<std::string> patterns;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    patterns.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return patterns;
}

}  // namespace shardmill::pipeline
