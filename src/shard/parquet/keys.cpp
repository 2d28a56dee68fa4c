#include "shard/parquet/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "shard/keys.hpp"
#include "shard/tar_input.hpp"

namespace shardmill::shard {

namespace {

constexpr std::size_t kMostKeyBytes = 255;  // as of a name of a file

/// Leaves no character that would divide the name of a member, or end it.
std::string as_key(std::string_view text) {
  std::string key(text);
  std::replace_if(
      key.begin(), key.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return c == '/' || c == '\\' || c == '.' || byte < 0x20 || byte == 0x7f;
      },
      '_');
  return key;
}

/// "b" of "a/b.wav". An ending that is not an extension of audio stays: "1.5" is a number.
std::string_view base_name(std::string_view path) {
  path.remove_prefix(std::min(path.find_last_of("/\\") + 1, path.size()));
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return path;
  const auto split = split_name(path, KeyRule::wenet);
  const bool is_media = split && (is_audio_extension(split->extension) || may_hold_audio(split->extension));
  return is_media ? path.substr(0, dot) : path;
}

/// True if each row has a key of some bytes in this column, and no two have the same.
bool is_unique(const base::File& file, const parquet::FileMetadata& metadata, std::size_t leaf) {
  // Of two different keys with one hash, which do not happen, another column would be taken.
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t group = 0; group < metadata.groups.size(); ++group) {
    parquet::ColumnCursor cursor(file, metadata, group, leaf, kMostTextPageBytes);
    for (; const parquet::Entry* entry = cursor.current(); cursor.advance()) {
      if (!entry->value) return false;
      const std::string key = ParquetKeys::key_of(cursor.column(), *entry->value);
      base::RunningHash hash;
      hash.update(std::string_view(key));
      if (key.empty() || key.size() > kMostKeyBytes || !seen.insert(hash.digest()).second) return false;
    }
  }
  return true;
}

}  // namespace

ParquetKeys::ParquetKeys(const base::File& file, const parquet::FileMetadata& metadata,
                         const ParquetColumns& columns)
    : digits_(fmt::formatted_size("{}", metadata.rows)) {
  std::string_view name = file.path();
  name.remove_prefix(name.rfind('/') + 1);
  if (name.ends_with(".parquet")) name.remove_suffix(std::string_view(".parquet").size());
  stem_ = as_key(name);
  const auto found = std::find_if(columns.keys.begin(), columns.keys.end(),
                                  [&](std::size_t leaf) { return is_unique(file, metadata, leaf); });
  if (found != columns.keys.end()) leaf_ = *found;
}

std::string ParquetKeys::key_of(const parquet::SchemaNode& column, const parquet::Scalar& value) {
  if (column.type != parquet::Physical::byte_array) return fmt::format("{}", value.integer);
  return as_key(base_name({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()}));
}

std::string ParquetKeys::key_of(std::uint64_t row) const {
  return fmt::format("{}_{:0{}}", stem_, row, digits_);
}

namespace {

using parquet::FileMetadata;
using parquet::Meaning;
using parquet::Physical;
using parquet::Repetition;
using parquet::SchemaNode;

/// The usual names, the most usual first.
constexpr std::array<std::string_view, 15> kTextColumns{"text",
                                                        "sentence",
                                                        "transcription",
                                                        "transcript",
                                                        "normalized_text",
                                                        "raw_text",
                                                        "raw_transcription",
                                                        "normalized_transcription",
                                                        "txt",
                                                        "caption",
                                                        "文本",
                                                        "转写",
                                                        "转录",
                                                        "句子",
                                                        "内容"};
constexpr std::array<std::string_view, 6> kSpeakerColumns{"speaker_id", "spk_id",  "spk",
                                                          "client_id",  "user_id", "speaker_name"};
constexpr std::array<std::string_view, 14> kKeyColumns{
    "key",     "id",   "utt_id",         "uttid",      "utterance_id", "segment_id", "audio_id",
    "__key__", "file", "audio_filepath", "audio_path", "path",         "file_name",  "filename"};
constexpr std::array<std::string_view, 6> kAudioColumns{"audio", "audio_bytes", "wav",
                                                        "flac",  "mp3",         "speech"};

bool is_binary(const SchemaNode& node) {
  return node.is_leaf() && node.type == Physical::byte_array && node.repetition != Repetition::repeated &&
         node.meaning == Meaning::plain;
}

bool may_be_text(const SchemaNode& node) {
  return node.is_leaf() && node.type == Physical::byte_array && node.repetition != Repetition::repeated;
}

const SchemaNode* child_of(const FileMetadata& metadata, const SchemaNode& node, std::string_view name) {
  for (const std::size_t child : node.children) {
    if (metadata.nodes[child].name == name) return &metadata.nodes[child];
  }
  return nullptr;
}

/// The bytes of a column of media: a struct with `bytes`, as Hugging Face's library has them.
const SchemaNode* media_bytes(const FileMetadata& metadata, const SchemaNode& node) {
  if (node.repetition == Repetition::repeated || node.is_leaf()) return nullptr;
  const SchemaNode* bytes = child_of(metadata, node, "bytes");
  return bytes != nullptr && may_be_text(*bytes) ? bytes : nullptr;
}

/// What Hugging Face's library says of its columns: the names of those with this type ("Audio").
std::set<std::string> features_of_type(const FileMetadata& metadata, std::string_view type) {
  std::set<std::string> names;
  for (const auto& [key, value] : metadata.notes) {
    if (key != "huggingface") continue;
    try {
      base::JsonParser parser;
      const base::JsonValue note = parser.parse(value);
      const auto info = note.find("info");
      const auto features = info && info->is_object() ? info->find("features") : std::nullopt;
      if (!features || !features->is_object()) continue;
      for (const auto& [name, feature] : features->members()) {
        if (!feature.is_object()) continue;
        const auto kind = feature.find("_type");
        if (kind && kind->line() == fmt::format("\"{}\"", type)) names.emplace(name);
      }
    } catch (const Error&) {
      // It describes the table to another program, and no value depends on it.
    }
  }
  return names;
}

std::string names_of(const FileMetadata& metadata, const std::vector<std::size_t>& nodes) {
  std::vector<std::string> names;
  for (const std::size_t node : nodes) names.push_back(printable(metadata.nodes[node].name));
  return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void fail_without_audio(const FileMetadata& metadata) {
  for (const std::size_t node : metadata.table().children) {
    if (child_of(metadata, metadata.nodes[node], "array") != nullptr)
      throw Error(fmt::format("the column '{}' holds decoded audio as a list of numbers, which is not read",
                              printable(metadata.nodes[node].name)),
                  {}, "save the table with encoded audio, as Hugging Face's Audio feature does");
  }
  throw Error(fmt::format("no column of the table holds audio: its columns are {}",
                          names_of(metadata, metadata.table().children)),
              {}, "a column of audio is a struct of bytes and path, or has bytes and is called audio");
}

/// The node of the table that holds the audio. `media`: all columns that may.
std::size_t audio_among(const FileMetadata& metadata, std::vector<std::size_t> media) {
  const auto keep = [&](const std::set<std::string>& names, bool kept) {
    auto some = media;
    std::erase_if(some, [&](std::size_t node) { return names.contains(metadata.nodes[node].name) != kept; });
    if (!some.empty()) media = some;
  };
  keep(features_of_type(metadata, "Audio"), true);
  keep(features_of_type(metadata, "Image"), false);
  keep(features_of_type(metadata, "Video"), false);
  for (const std::string_view name : kAudioColumns) {
    for (const std::size_t node : media) {
      if (base::lower(metadata.nodes[node].name) == name) return node;
    }
  }
  if (media.empty()) fail_without_audio(metadata);
  if (media.size() == 1) return media.front();
  throw Error(fmt::format("several columns may hold the audio: {}", names_of(metadata, media)), {},
              "call the one to read audio");
}

/// The place in `nodes` of the first column that is called like one of `names`.
template <typename Names, typename Fits>
std::optional<std::size_t> find_column(const FileMetadata& metadata, const std::vector<std::size_t>& nodes,
                                       const Names& names, const Fits& fits) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const SchemaNode& node = metadata.nodes[nodes[i]];
      if (base::lower(node.name) == name && fits(node)) return i;
    }
  }
  return std::nullopt;
}

void add_keys(const FileMetadata& metadata, ParquetColumns& columns) {
  if (columns.path) columns.keys.push_back(*columns.path);
  for (const std::string_view name : kKeyColumns) {
    for (const std::size_t number : columns.others) {
      const SchemaNode& node = metadata.nodes[number];
      const bool is_number = node.type == Physical::int32 || node.type == Physical::int64;
      const bool fits = may_be_text(node) || (node.is_leaf() && is_number && node.meaning == Meaning::plain);
      if (base::lower(node.name) == name && fits && node.repetition != Repetition::repeated)
        columns.keys.push_back(node.leaf);
    }
  }
}

}  // namespace

ParquetColumns choose_columns(const FileMetadata& metadata) {
  ParquetColumns columns;
  std::vector<std::size_t> media;
  for (const std::size_t number : metadata.table().children) {
    const SchemaNode& node = metadata.nodes[number];
    const bool is_named =
        std::find(kAudioColumns.begin(), kAudioColumns.end(), base::lower(node.name)) != kAudioColumns.end();
    if (media_bytes(metadata, node) != nullptr || (is_named && is_binary(node))) media.push_back(number);
  }
  const std::size_t audio = audio_among(metadata, media);
  const SchemaNode& node = metadata.nodes[audio];
  columns.audio = node.is_leaf() ? node.leaf : media_bytes(metadata, node)->leaf;
  if (const SchemaNode* path = child_of(metadata, node, "path"); path != nullptr && may_be_text(*path))
    columns.path = path->leaf;
  for (const std::size_t number : metadata.table().children) {
    if (number == audio) continue;
    if (std::find(media.begin(), media.end(), number) == media.end()) {
      columns.others.push_back(number);
    } else {
      columns.left_out.push_back(metadata.nodes[number].name);
    }
  }
  columns.text = find_column(metadata, columns.others, kTextColumns, may_be_text);
  constexpr std::array<std::string_view, 1> kProper{"speaker"};
  const auto any = [](const SchemaNode& each) { return each.is_leaf(); };
  if (!find_column(metadata, columns.others, kProper, any))
    columns.speaker = find_column(metadata, columns.others, kSpeakerColumns, any);
  add_keys(metadata, columns);
  return columns;
}

std::string column_word(std::string_view name) {
  std::string word = base::lower(std::string(base::trimmed(name)));
  std::replace_if(
      word.begin(), word.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return word;
}

std::span<const std::string_view> usual_speaker_names() {
  static constexpr std::array<std::string_view, 14> kNames{
      "speaker", "speaker_id", "spk_id", "spk",      "client_id", "user_id", "speaker_name",
      "spkr",    "spkid",      "talker", "narrator", "reader",    "说话人",  "发音人"};
  return kNames;
}

std::string_view usual_text_name(const std::vector<std::string_view>& columns) {
  for (const std::string_view usual : kTextColumns) {
    for (const std::string_view name : columns) {
      if (column_word(name) == usual) return name;
    }
  }
  return {};
}

}  // namespace shardmill::shard
