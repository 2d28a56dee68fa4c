#include "convert/origin.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "codec/codec.hpp"
#include "dataset/converted_record.hpp"
#include "manifest/seal.hpp"
#include "source/source_file.hpp"

namespace shardmill::convert {

namespace {

ConvertedOrigin read_fields(const base::JsonValue& json) {
  ConvertedOrigin origin{.source = std::string(json["source"].text()),
                         .source_bytes = json["source_bytes"].unsigned_integer(),
                         .source_mtime_ns = json["source_mtime_ns"].integer(),
                         .codec = std::string(json["codec"].text()),
                         .level = json["level"].integer(),
                         .seekable = json["seekable"].unsigned_integer(1) != 0,
                         .ignore_trailing = json["ignore_trailing"].unsigned_integer(1) != 0};
  if (const auto bytes = json.find("result_bytes")) origin.result_bytes = bytes->unsigned_integer();
  if (const auto mtime = json.find("result_mtime_ns")) origin.result_mtime_ns = mtime->integer();
  return origin;
}

}  // namespace

std::string to_text(const ConvertedOrigin& origin) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object().member("source", origin.source).member("source_bytes", origin.source_bytes);
  json.member("source_mtime_ns", origin.source_mtime_ns).member("codec", origin.codec);
  json.member("level", origin.level).member("seekable", std::uint64_t{origin.seekable});
  json.member("ignore_trailing", std::uint64_t{origin.ignore_trailing});
  if (origin.result_bytes) json.member("result_bytes", *origin.result_bytes);
  if (origin.result_mtime_ns) json.member("result_mtime_ns", *origin.result_mtime_ns);
  manifest::end_sealed(json, out);
  return out;
}

ConvertedOrigin origin_in(const std::string& text) {
  try {
    manifest::check_seal(text);
    base::JsonParser parser;
    return read_fields(parser.parse(text));
  } catch (const Error&) {
    return {};
  }
}

namespace fs = std::filesystem;

namespace {

/// Throws Error if the result was made from another source that still exists.
void check_same_source(const ConvertedShard& shard, const ConvertedOrigin& wanted,
                       const std::optional<ConvertedOrigin>& made, const ConvertOptions& options) {
  if (!made || options.force || made->source.empty() || made->source == wanted.source) return;
  const fs::path maker = (fs::path(base::canonical(options.out_folder)) / made->source).lexically_normal();
  if (!base::exists(maker)) return;
  throw Error(fmt::format("is there already, made from {}", printable(maker.string())), at(shard.result),
              Remedy::other_folder_or_replace);
}

/// Throws Error if the result was changed after it was made. A file of the same size with an older time only
/// had its time changed; a record without a size is from a run that was killed.
void check_not_changed(const ConvertedShard& shard, const std::optional<ConvertedOrigin>& made,
                       const ConvertOptions& options) {
  if (!made || !made->result_bytes || options.force) return;
  const source::SourceFile result = status_of(shard.result);
  const bool is_newer = made->result_mtime_ns && result.mtime_ns > *made->result_mtime_ns;
  if (result.bytes == *made->result_bytes && !is_newer) return;
  throw Error("was changed after convert wrote it, or copied without its time, and is not replaced",
              at(shard.result), "remove it", Remedy::replace);
}

}  // namespace

source::SourceFile status_of(const std::string& path) {
  auto [file, problem] = source::look_up(path, "", source::Empty::allowed);
  if (problem) throw *problem;
  return file;
}

std::string name_of(const ConvertedShard& shard) {
  return fs::path(shard.result).filename().string();
}

ConvertedOrigin wanted_origin(const ConvertedShard& shard, const ConvertOptions& options) {
  const source::SourceFile source = status_of(shard.source);
  const std::string folder = base::canonical(options.out_folder);
  const auto levels = codec::levels(options.codec);
  return {.source = fs::path(base::canonical(shard.source)).lexically_relative(folder).string(),
          .source_bytes = source.bytes,
          .source_mtime_ns = source.mtime_ns,
          .codec = std::string(codec::name(options.codec)),
          .level = options.level.value_or(levels ? levels->standard : 0),
          .seekable = options.seekable,
          .ignore_trailing = options.ignore_trailing};
}

std::optional<ConvertedOrigin> recorded_origin(const ConvertedShard& shard, const ConvertOptions& options) {
  if (!base::exists(shard.result)) return std::nullopt;
  const auto text = dataset::read_converted_record(options.out_folder, name_of(shard));
  return text ? std::optional(origin_in(*text)) : std::nullopt;
}

bool is_up_to_date(const ConvertedShard& shard, ConvertedOrigin wanted,
                   const std::optional<ConvertedOrigin>& made) {
  if (!made || !made->result_bytes) return false;
  const source::SourceFile result = status_of(shard.result);
  wanted.result_bytes = result.bytes;
  if (made->result_mtime_ns) wanted.result_mtime_ns = result.mtime_ns;
  return *made == wanted;
}

void check_may_be_replaced(const ConvertedShard& shard, const ConvertedOrigin& wanted,
                           const std::optional<ConvertedOrigin>& made, const ConvertOptions& options) {
  check_same_source(shard, wanted, made, options);
  check_not_changed(shard, made, options);
}

}  // namespace shardmill::convert
