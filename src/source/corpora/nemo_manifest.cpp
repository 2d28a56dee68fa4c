// NeMo manifests: a JSON object a line, of audio files or of the members of tars.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/labels/label_row.hpp"
#include "source/labels/label_times.hpp"
#include "source/source_file.hpp"
#include "source/texts/corpus_text.hpp"

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
    throw Error("is about tars, but no tars lie beside it", at(manifest), "put it where its tars are");
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
  NemoReader(const std::string& path, CorpusBuilder& builder)
      : builder_(builder),
        path_(path),
        paths_(path),
        folder_((fs::absolute(path).lexically_normal().parent_path() / "").string()) {
    const std::string name = fs::path(path).filename().string();
    const auto number = name.starts_with("manifest_") ? number_in(name) : std::nullopt;
    if (number && find_tars().contains(*number)) shard_ = number;
  }

  void read_line(const base::JsonValue& object, std::uint64_t line) {
    const std::string audio = path_from(object["audio_filepath"]);
    CorpusBuilder::Utterance utterance;
    utterance.named_in = path_;
    utterance.line = line;
    if (const auto text = find_known(object, "text")) utterance.text = text->text();
    if (const auto duration = find_known(object, "duration")) utterance.seconds = duration->number();
    const auto shard = shard_of(object);
    collect_facts(object, shard.has_value());
    utterance.facts = facts_.members();
    const std::string named_at = line_of(path_, line);
    const bool is_part = cut(object, utterance);
    check_times(object, utterance);
    // NeMo reads no more than the duration, also without an offset.
    utterance.keeps_to_seconds = utterance.seconds > 0 && utterance.begin_seconds == 0;
    if (shard) return add_member(audio, *shard, named_at, utterance);
    const std::string file = paths_.resolve(audio);
    const std::string key =
        key_of(audio, file) + (is_part ? segment_suffix(utterance.begin_seconds, utterance.end_seconds) : "");
    utterance.key = key;
    builder_.utterance(builder_.recording(SourceKind::recording, file, named_at), utterance);
  }

  /// After the last line.
  void warn() const {
    if (lines_of_other_times_ == 0) return;
    builder_.warn(Error(
        fmt::format("{} other times in {} than offset and duration, which NeMo goes by: they "
                    "are taken for facts",
                    lines_of_other_times_ == 1 ? std::string("1 line has")
                                               : base::format_count(lines_of_other_times_, "line") + " have",
                    other_times_),
        at(path_), "if they are meant, give the file as table:FILE"));
  }

 private:
  /// A line with a duration may also say where the file was cut from a longer one.
  void check_times(const base::JsonValue& object, const CorpusBuilder::Utterance& utterance) {
    const bool has_end = utterance.seconds > 0;
    const std::string other = columns_of_other_times(
        object, utterance.begin_seconds,
        has_end ? base::decimal_sum(utterance.begin_seconds, utterance.seconds) : utterance.end_seconds);
    if (other.empty()) return;
    if (!has_end)
      throw Error(fmt::format(
          "has times in {}, and NeMo's manifests have them in offset and duration: table:FILE reads others",
          other));
    if (lines_of_other_times_++ == 0) other_times_ = other;
  }

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
                  CorpusBuilder::Utterance utterance) {
    const std::string key(without_extension(member));
    utterance.key = key;
    constexpr bool kOnlyListed = true;
    builder_.utterance(builder_.recording(SourceKind::shard, find_tars().path(shard), named_at, kOnlyListed),
                       utterance);
  }

  /// Makes an utterance with an offset a segment; false when it has none.
  static bool cut(const base::JsonValue& object, CorpusBuilder::Utterance& utterance) {
    const auto offset = find_known(object, "offset");
    if (!offset) return false;
    utterance.begin_seconds = offset->number();
    if (find_known(object, "duration"))
      utterance.end_seconds = base::decimal_sum(utterance.begin_seconds, utterance.seconds);
    return true;
  }

  /// The path without extension, from the folder of the manifest where it is below that, however that was
  /// written.
  std::string key_of(const std::string& audio, const std::string& file) const {
    const std::string whole = fs::absolute(file).lexically_normal().string();
    if (whole.starts_with(folder_)) return std::string(without_extension(whole).substr(folder_.size()));
    std::string_view key = without_extension(audio);
    while (key.starts_with("./")) key.remove_prefix(2);
    while (key.starts_with('/')) key.remove_prefix(1);
    return std::string(key);
  }

  CorpusBuilder& builder_;
  std::string path_;
  NamedPaths paths_;
  std::string folder_;  // that the manifest lies in, with a slash at its end
  std::optional<Tars> tars_;
  std::optional<std::uint64_t> shard_;  // of a manifest of one tar
  Facts facts_;
  std::string other_times_;  // of the first line with such: the columns
  std::uint64_t lines_of_other_times_ = 0;
};

/// Raw: audio_filepath, text, duration and offset (a line with an offset is a segment of the file); the key
/// is the path without its extension, followed by begin and end for a segment. Without an offset, a duration
/// that is clearly shorter than the file makes the beginning of the file the sample.
///
/// Tarred: lines with a shard_id, or a manifest_N.json whose tar, a file called ..._N.tar, is there. The tars
/// are looked for beside the manifest, in the folder above it, and in a folder `shards` beside either.
/// Samples that the manifest does not list are skipped.
///
/// Members that NeMo does not know become facts.
void read_nemo_manifest(const std::string& path, const CorpusOptions&, CorpusBuilder& builder) {
  NemoReader reader(path, builder);
  for_each_json_line(path, builder, BadLines::unusable,
                     [&](const base::JsonValue& object, const CorpusText& text) {
                       reader.read_line(object, text.line_number());
                     });
  reader.warn();
}

}  // namespace

constinit const Corpus kNemo{
    .prefix = "nemo",
    .name = "a NeMo manifest",
    .fits_line = [](const base::JsonValue& first) { return first.find("audio_filepath").has_value(); },
    .is_folder = false,
    .read = read_nemo_manifest};

}  // namespace shardmill::source
