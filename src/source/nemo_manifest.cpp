#include "shardmill/source/nemo_manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "shardmill/base/folder.hpp"
#include "shardmill/source/audio_name.hpp"
#include "shardmill/source/corpus_text.hpp"
#include "shardmill/source/regular_file.hpp"
#include "shardmill/source/shard_search.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// N of "manifest_N.json", "audio_N.tar".
std::optional<std::uint64_t> number_in(const std::string& file_name) {
  const std::string_view stem = std::string_view(file_name).substr(0, file_name.find('.'));
  const std::size_t before = stem.find_last_not_of("0123456789");
  const std::string_view digits = stem.substr(before == stem.npos ? 0 : before + 1);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failure == std::errc() ? std::optional(number) : std::nullopt;
}

/// The tars of a manifest by their numbers.
class Tars {
 public:
  explicit Tars(const std::string& manifest) {
    const fs::path beside = fs::path(manifest).parent_path();
    for (const fs::path& folder : {beside, beside / "shards", beside / "..", beside / ".." / "shards"}) {
      collect(folder.empty() ? fs::path(".") : folder);
      if (!by_number_.empty()) return;
    }
    throw Error("is about tars, but there are none beside it", at(manifest), "put it where its tars are");
  }

  bool contains(std::uint64_t number) const { return by_number_.contains(number); }
  /// Where a tar is, or would be.
  std::string path(std::uint64_t number) const {
    const auto [first, end] = by_number_.equal_range(number);
    if (first == end) {
      const fs::path other = by_number_.begin()->second;
      return (other.parent_path() / fmt::format("audio_{}.tar", number)).string();
    }
    if (std::next(first) != end) {
      throw Error(
          fmt::format("shard {} could be {} as well as {}", number, first->second, std::next(first)->second),
          {}, "keep the tars of one manifest in a folder of their own");
    }
    return first->second;
  }

 private:
  void collect(const fs::path& folder) {
    if (!base::is_folder(folder)) return;
    std::vector<fs::path> entries = base::entries(folder);
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      const std::string name = entry.filename().string();
      const auto number = has_shard_name(name) ? number_in(name) : std::nullopt;
      if (number) by_number_.emplace(*number, entry.lexically_normal().string());
    }
  }

  std::multimap<std::uint64_t, std::string> by_number_;
};

class NemoReader {
 public:
  NemoReader(const std::string& path, CorpusBuilder& builder) : builder_(builder), path_(path) {
    const std::string name = fs::path(path).filename().string();
    const auto number = name.starts_with("manifest_") ? number_in(name) : std::nullopt;
    if (number && find_tars().contains(*number)) shard_ = number;
  }

  void read_line(const base::JsonValue& object, std::uint64_t line) {
    const std::string audio = path_from(object["audio_filepath"]);
    CorpusBuilder::Utterance utterance;
    if (const auto text = find_known(object, "text")) utterance.text = text->text();
    if (const auto duration = find_known(object, "duration")) utterance.seconds = duration->number();
    const auto shard = shard_of(object);
    collect_facts(object, shard.has_value());
    utterance.facts = facts_.members();
    const std::string named_at = line_of(path_, line);
    if (shard) return add_member(audio, *shard, named_at, object, utterance);
    const std::string key = cut(object, key_of(audio), utterance);
    utterance.key = key;
    const std::string file = resolve_named(path_, audio);
    builder_.utterance(builder_.recording(SourceKind::recording, file, named_at), utterance);
  }

 private:
  /// Looked for where they are needed: beside a manifest of audio files there may be very many files.
  const Tars& find_tars() {
    if (!tars_) tars_.emplace(path_);
    return *tars_;
  }

  std::optional<std::uint64_t> shard_of(const base::JsonValue& object) const {
    const auto id = find_known(object, "shard_id");
    return id ? std::optional(id->unsigned_integer()) : shard_;
  }

  void collect_facts(const base::JsonValue& object, bool is_tarred) {
    constexpr std::array<std::string_view, 4> kKnown{"audio_filepath", "text", "duration", "offset"};
    facts_.clear();
    for (const auto& [name, value] : object.members()) {
      const bool is_known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
      if (!is_known && !(is_tarred && name == "shard_id")) facts_.json(name, value.line());
    }
  }

  void add_member(const std::string& member, std::uint64_t shard, const std::string& named_at,
                  const base::JsonValue& object, CorpusBuilder::Utterance utterance) {
    if (const auto offset = find_known(object, "offset"); offset && offset->number() != 0) {
      throw Error("has an offset into a member of a tar", {}, "segments are cut from audio files only");
    }
    const std::string key(without_extension(member));
    utterance.key = key;
    constexpr bool kOnlyListed = true;
    builder_.utterance(builder_.recording(SourceKind::shard, find_tars().path(shard), named_at, kOnlyListed),
                       utterance);
  }

  /// Makes a line with an offset a segment; returns its key.
  static std::string cut(const base::JsonValue& object, std::string key,
                         CorpusBuilder::Utterance& utterance) {
    const auto offset = find_known(object, "offset");
    if (!offset) return key;
    utterance.begin_seconds = offset->number();
    const auto milliseconds = [](double seconds) {
      return static_cast<std::int64_t>(std::llround(seconds * 1e3));
    };
    key += fmt::format("-{:07}", milliseconds(utterance.begin_seconds));
    if (!find_known(object, "duration")) return key;
    utterance.end_seconds = utterance.begin_seconds + utterance.seconds;
    return key + fmt::format("-{:07}", milliseconds(utterance.end_seconds));
  }

  /// The path without extension, from the folder of the manifest where it is below that.
  std::string key_of(const std::string& audio) const {
    std::string_view key = without_extension(audio);
    const std::string folder = fs::path(path_).parent_path().string() + "/";
    if (folder != "/" && key.starts_with(folder)) key.remove_prefix(folder.size());
    while (key.starts_with("./")) key.remove_prefix(2);
    while (key.starts_with('/')) key.remove_prefix(1);
    return std::string(key);
  }

  CorpusBuilder& builder_;
  std::string path_;
  std::optional<Tars> tars_;
  std::optional<std::uint64_t> shard_;  // of a manifest of one tar
  Facts facts_;
};

}  // namespace

void read_nemo_manifest(const std::string& path, CorpusBuilder& builder) {
  NemoReader reader(path, builder);
  for_each_json_line(path, builder, [&](const base::JsonValue& object, const CorpusText& text) {
    reader.read_line(object, text.line_number());
  });
}

}  // namespace shardmill::source
