#include "convert/up_to_date.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/io/entry.hpp"
#include "base/io/folder.hpp"
#include "codec/codec.hpp"
#include "dataset/converted_record.hpp"
#include "source/regular_file.hpp"

namespace shardmill::convert {

namespace fs = std::filesystem;

namespace {

/// Throws Error when the result was made from another source that still exists.
void check_same_source(const ConvertedShard& shard, const ConvertedOrigin& wanted,
                       const std::optional<ConvertedOrigin>& made, const ConvertOptions& options) {
  if (!made || options.force || made->source.empty() || made->source == wanted.source) return;
  const fs::path maker = (fs::path(base::canonical(options.out_folder)) / made->source).lexically_normal();
  if (!base::exists(maker)) return;
  throw Error(fmt::format("is there already, made from {}", printable(maker.string())), at(shard.result),
              Remedy::other_folder_or_replace);
}

/// Throws Error when somebody changed the result after it was made. A file of the same size with an older
/// time has only got another time; a record without a size is from a run that was killed.
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
