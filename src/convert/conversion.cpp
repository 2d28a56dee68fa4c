#include "convert/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "codec/codec.hpp"
#include "codec/file_facts.hpp"
#include "dataset/environment.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/json_fields.hpp"
#include "pipeline/read_through.hpp"
#include "shard/tar_input.hpp"
#include "source/file_name.hpp"
#include "source/source_file.hpp"

namespace shardmill::convert {

std::size_t ConvertSummary::count(ConvertedShard::Outcome outcome) const {
  return static_cast<std::size_t>(std::count_if(shards.begin(), shards.end(),
                                                [&](const auto& shard) { return shard.outcome == outcome; }));
}

namespace fs = std::filesystem;

namespace {

/// "a/x.tar.bz2" -> "x.tar.zst". A file without the name of a shard keeps its name, except for the suffix of
/// a codec.
std::string result_name(const std::string& shard, codec::Codec codec) {
  std::string name = fs::path(shard).filename().string();
  if (source::has_shard_name(name))
    return fmt::format("{}.tar{}", source::without_shard_suffix(name), codec::suffix(codec));
  for (const codec::Codec known : codec::kAllCodecs) {
    const std::string_view suffix = codec::suffix(known);
    if (!suffix.empty() && name.ends_with(suffix) && name.size() > suffix.size()) {
      name.resize(name.size() - suffix.size());
      break;
    }
  }
  return name + std::string(codec::suffix(codec));
}

void check_no_source_is_replaced(const std::vector<ConvertedShard>& shards) {
  std::set<base::Identity> sources;
  for (const ConvertedShard& shard : shards) {
    if (const auto source = base::identity_of(shard.source)) sources.insert(*source);
  }
  for (const ConvertedShard& shard : shards) {
    const auto result = base::identity_of(shard.result);
    if (result && sources.contains(*result))
      throw UsageError(fmt::format("{} is a source, and would be overwritten", shard.result), {},
                       Remedy::other_folder);
  }
}

/// Estimates the size of a shard in another compression; 0 if it cannot be read.
std::uint64_t converted_bytes(const std::string& shard, codec::Codec codec) {
  try {
    const base::File file = base::File::open_read(shard);
    const std::uint64_t plain = shard::estimate_tar_bytes(file);
    if (codec == codec::Codec::none) return plain;
    // The codecs differ little for speech, and none reduces it to half.
    return std::max(plain / 2, std::min(plain, file.size()));
  } catch (const Error&) {
    return 0;  // reported when it is converted
  }
}

}  // namespace

std::vector<ConvertedShard> plan_results(const ConvertOptions& options) {
  std::vector<ConvertedShard> shards;
  std::map<std::string, std::string> taken;
  for (const std::string& source : options.shards) {
    ConvertedShard shard;
    shard.source = source;
    shard.result = (fs::path(options.out_folder) / result_name(source, options.codec)).string();
    const auto [earlier, is_new] = taken.emplace(shard.result, source);
    if (!is_new) {
      throw UsageError(fmt::format("{} and {} would both become {}", earlier->second, source, shard.result),
                       {}, "convert them into different folders");
    }
    std::error_code ignored;
    if (fs::equivalent(shard.result, source, ignored)) {
      throw UsageError(fmt::format("{} would overwrite itself", source), {}, Remedy::other_folder);
    }
    shards.push_back(std::move(shard));
  }
  check_no_source_is_replaced(shards);
  return shards;
}

std::vector<std::string> converted_paths(const ConvertOptions& options) {
  std::vector<std::string> paths;
  for (const ConvertedShard& shard : plan_results(options)) paths.push_back(shard.result);
  return paths;
}

void check_folder(const ConvertOptions& options, const std::vector<ConvertedShard>& shards) {
  dataset::check_output_is_ours(options.out_folder, dataset::OutputKind::converted);
  dataset::FileNames owned;
  std::vector<std::string> names;
  for (const ConvertedShard& shard : shards) {
    names.push_back(name_of(shard));
    if (dataset::read_converted_record(options.out_folder, names.back())) owned.insert(names.back());
  }
  dataset::check_not_taken(options.out_folder, names, owned);
}

std::uint64_t needed_bytes(const std::vector<ConvertedShard>& shards, const ConvertOptions& options) {
  const auto is_needed = [&](const ConvertedShard& shard) {
    try {
      return options.force ||
             !is_up_to_date(shard, wanted_origin(shard, options), recorded_origin(shard, options));
    } catch (const Error&) {
      return false;  // reported when it is converted
    }
  };
  std::uint64_t sum = 0;
  for (const ConvertedShard& shard : shards) {
    if (is_needed(shard)) sum += converted_bytes(shard.source, options.codec);
  }
  return sum;
}

namespace {

bool is_whole(const ConvertedShard& shard, codec::Codec codec) {
  base::File result = base::File::open_read(shard.result);
  return codec::looks_whole(result, codec);
}

}  // namespace

codec::EncoderOptions format_of(const ConvertOptions& options) {
  return {.codec = options.codec, .level = options.level, .seekable = options.seekable, .plain_bytes = {}};
}

void convert_shard(ConvertedShard& shard, const ConvertOptions& options, pipeline::Workers& workers,
                   base::Reporter& reporter) {
  base::File source = base::File::open_read(shard.source);
  shard.source_bytes = source.size();
  ConvertedOrigin origin = wanted_origin(shard, options);
  const auto made = recorded_origin(shard, options);
  if (!options.force && is_up_to_date(shard, origin, made) && is_whole(shard, options.codec)) {
    shard.result_bytes = base::File::open_read(shard.result).size();
    shard.outcome = ConvertedShard::Outcome::up_to_date;
    reporter.progress().input_bytes += shard.source_bytes;
    return;
  }
  check_may_be_replaced(shard, origin, made, options);
  base::AtomicFile result(shard.result);
  const auto encoder = codec::make_encoder(format_of(options), [&](std::span<const std::byte> bytes) {
    result.write(bytes);
    reporter.progress().output_bytes += bytes.size();
  });
  const auto take = [&](std::span<const std::byte> bytes) {
    encoder->write(bytes);
    shard.plain_bytes += bytes.size();
    return true;
  };
  pipeline::decode(source, workers, reporter, take,
                   options.ignore_trailing ? pipeline::Trailing::ignored : pipeline::Trailing::damage);
  encoder->finish();
  // The record has no size until the new result is in place, so after a crash in between the result is not up
  // to date.
  dataset::write_converted_record(options.out_folder, name_of(shard), to_text(origin));
  result.commit();
  const source::SourceFile written = status_of(shard.result);
  origin.result_bytes = shard.result_bytes = written.bytes;
  origin.result_mtime_ns = written.mtime_ns;
  dataset::write_converted_record(options.out_folder, name_of(shard), to_text(origin));
  shard.outcome = ConvertedShard::Outcome::converted;
}

namespace {

/// Unreadable shards count as 0 bytes here; they are reported when they are converted.
std::uint64_t bytes_of_sources(const std::vector<ConvertedShard>& shards) {
  std::uint64_t sum = 0;
  for (const ConvertedShard& shard : shards) {
    try {
      sum += base::File::open_read(shard.source).size();
    } catch (const Error&) {
      // Reported later.
    }
  }
  return sum;
}

/// Converts one shard; when that fails, reports the error and notes it as the shard's problem.
void convert_guarded(ConvertedShard& shard, const ConvertOptions& options, pipeline::Workers& workers,
                     base::Reporter& reporter) {
  try {
    convert_shard(shard, options, workers, reporter);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    const Error located = error.within(at(shard.source));
    shard.problem = located.what();
    reporter.fail(located);
  }
}

}  // namespace

ConvertSummary run_convert(const ConvertOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  ConvertSummary summary{.shards = plan_results(options), .seconds = 0};
  check_folder(options, summary.shards);
  if (!options.ignore_free_space)
    dataset::check_free_space(options.out_folder, needed_bytes(summary.shards, options));
  base::NewFolders folders;
  folders.make(options.out_folder);
  reporter.progress().input_bytes_total += bytes_of_sources(summary.shards);
  workers.for_each(
      summary.shards.size(),
      [&](std::size_t i) { convert_guarded(summary.shards[i], options, workers, reporter); },
      codec::encoder_memory_bytes(format_of(options)));
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

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
