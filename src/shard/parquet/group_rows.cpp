#include "shard/parquet/group_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "archive/tar_header.hpp"
#include "base/text/json_writer.hpp"
#include "shard/keys.hpp"

namespace shardmill::shard {

namespace {

ParquetColumns columns_in(const parquet::FileMetadata& metadata, const base::File& file) {
  try {
    return choose_columns(metadata);
  } catch (const Error& error) {
    throw error.within(at(file.path()));
  }
}

/// The extension for audio of this content; empty for unknown content.
std::string_view extension_of(std::span<const std::byte> audio) {
  const std::string_view first(reinterpret_cast<const char*>(audio.data()),
                               std::min<std::size_t>(audio.size(), 36));
  const auto has = [&](std::size_t at, std::string_view magic) {
    return first.size() >= at + magic.size() && first.substr(at, magic.size()) == magic;
  };
  if (has(0, "RIFF") || has(0, "RF64") || has(0, "RIFX") || has(0, "riff")) return "wav";
  if (has(0, "fLaC")) return "flac";
  if (has(0, "OggS")) return has(28, "OpusHead") ? "opus" : "ogg";
  if (has(0, "FORM")) return "aiff";
  if (has(0, ".snd")) return "au";
  if (has(0, "NIST_1A")) return "sph";
  if (has(4, "ftyp")) return "m4a";
  if (has(0, "\x30\x26\xB2\x75")) return "wma";
  if (has(0, "\x1A\x45\xDF\xA3")) return "webm";
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(first[i]); };
  // Frames of AAC begin as those of MP3 do, but for two bits that are never 0 in these.
  if (first.size() >= 2 && byte(0) == 0xff && (byte(1) & 0xf6) == 0xf0) return "aac";
  if (has(0, "ID3") || (first.size() >= 2 && byte(0) == 0xff && (byte(1) & 0xe0) == 0xe0)) return "mp3";
  return {};
}

void append_member(Bytes& out, const std::string& name, std::string_view content) {
  archive::append_header(out, name, content.size());
  const auto bytes = base::as_bytes(content);
  out.insert(out.end(), bytes.begin(), bytes.end());
  archive::append_padding(out, content.size());
}

std::string text_of(const std::optional<parquet::Scalar>& value) {
  if (!value) return {};
  return {reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size()};
}

}  // namespace

ParquetFile::ParquetFile(const base::File& source)
    : file(source.duplicate()),
      metadata(parquet::read_file_metadata(file)),
      columns(columns_in(metadata, file)),
      keys(file, metadata, columns) {}

GroupRows::GroupRows(std::shared_ptr<const ParquetFile> table, std::size_t group)
    : table_(std::move(table)),
      group_(group),
      rows_(table_->file, table_->metadata, group, table_->columns.others, kMostTextPageBytes) {
  const auto cursor = [&](std::size_t leaf) {
    return std::make_unique<parquet::ColumnCursor>(table_->file, table_->metadata, group, leaf,
                                                   kMostTextPageBytes);
  };
  if (table_->columns.path) path_ = cursor(*table_->columns.path);
  if (const auto leaf = table_->keys.leaf()) key_ = cursor(*leaf);
  for (std::size_t before = 0; before < group; ++before) first_row_ += table_->metadata.groups[before].rows;
}

std::shared_ptr<const parquet::Dictionary> GroupRows::dictionary() {
  if (!dictionary_page) return nullptr;
  std::call_once(once_, [&] {
    try {
      dictionary_ = parquet::load_dictionary(table_->file, *dictionary_page, audio_chunk().packing,
                                             table_->metadata.leaf(table_->columns.audio));
    } catch (...) {
      dictionary_failure_ = std::current_exception();
    }
  });
  if (dictionary_failure_) std::rethrow_exception(dictionary_failure_);
  return dictionary_;
}

void GroupRows::append_members(std::uint64_t row, const std::optional<parquet::Scalar>& audio, Bytes& out) {
  if (failure_) throw Error(*failure_);
  try {
    append(row, audio, out);
  } catch (const Error& error) {
    failure_.emplace(error);
    throw;
  }
}

void GroupRows::append(std::uint64_t row, const std::optional<parquet::Scalar>& audio, Bytes& out) {
  if (rows_.row() < row) {
    if (path_) path_->skip_rows(row - rows_.row());
    if (key_) key_->skip_rows(row - rows_.row());
    rows_.skip_to(row);
  }
  const std::vector<parquet::Field>& fields = rows_.next();
  const std::string path = path_ ? text_of(take(*path_)) : std::string();
  std::string key = table_->keys.key_of(first_row_ + row);
  if (key_) {
    const auto value = take(*key_);
    if (!value) throw Error("has changed while it was read", at(table_->file.path()));
    key = ParquetKeys::key_of(key_->column(), *value);
  }
  const auto& text = table_->columns.text;
  if (text && fields[*text].json != "null") append_member(out, key + ".txt", fields[*text].text);
  append_member(out, key + ".json", json_of(fields, path));
  if (!audio) return;
  std::string_view extension = extension_of(audio->bytes);
  const auto named = split_name(path, KeyRule::wenet);
  if (extension.empty())
    extension = named && is_audio_extension(named->extension) ? std::string_view(named->extension) : "wav";
  archive::append_header(out, fmt::format("{}.{}", key, extension), audio->bytes.size());
}

std::string GroupRows::json_of(const std::vector<parquet::Field>& fields, const std::string& path) const {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  bool has_path = path.empty();
  const auto add = [&](std::string_view name, const std::string& value) {
    std::string member;
    base::append_json_string(member, name);
    writer.members(member + ":" + value);
  };
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const parquet::SchemaNode& node = table_->metadata.nodes[table_->columns.others[i]];
    has_path = has_path || node.name == "path";
    if (i == table_->columns.speaker) {
      // Numbers of speakers are names.
      const bool is_number = !fields[i].json.starts_with('"') && fields[i].json != "null";
      add("speaker", is_number ? '"' + fields[i].json + '"' : fields[i].json);
    } else {
      add(node.name, fields[i].json);
    }
  }
  if (!has_path) writer.member("path", path);
  writer.end_object();
  return json;
}

std::optional<parquet::Scalar> GroupRows::take(parquet::ColumnCursor& cursor) const {
  const parquet::Entry* entry = cursor.current();
  if (entry == nullptr) throw Error("has fewer names of files than rows", at(table_->file.path()));
  const auto value = entry->value;
  cursor.advance();
  return value;
}

std::uint64_t GroupRows::memory_bytes() const noexcept {
  return rows_.memory_bytes() + (path_ ? path_->memory_bytes() : 0) + (key_ ? key_->memory_bytes() : 0) +
         (dictionary_ ? dictionary_->memory_bytes() : 0);
}

}  // namespace shardmill::shard
