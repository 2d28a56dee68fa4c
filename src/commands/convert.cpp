#include "commands/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "base/io/entry.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "codec/whole.hpp"
#include "dataset/converted_origin.hpp"
#include "dataset/converted_record.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "pipeline/decode.hpp"
#include "repack/free_space.hpp"
#include "source/regular_file.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

namespace {

using Outcome = ConvertedShard::Outcome;

/// "a/x.tar.bz2" -> "x.tar.zst". The short forms .tbz2, .tgz, .txz and .tzst stand for .tar with a codec.
std::string result_name(const std::string& shard, codec::Codec codec) {
  std::string name = fs::path(shard).filename().string();
  for (const char* const short_form : {".tbz2", ".tbz", ".tgz", ".txz", ".tzst"}) {
    if (name.ends_with(short_form)) {
      return name.substr(0, name.rfind('.')) + ".tar" + std::string(codec::suffix(codec));
    }
  }
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
                       "give another --out folder");
  }
}

std::vector<ConvertedShard> plan(const ConvertOptions& options) {
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
      throw UsageError(fmt::format("{} would overwrite itself", source), {}, "give another --out folder");
    }
    shards.push_back(std::move(shard));
  }
  check_no_source_is_replaced(shards);
  return shards;
}

std::string name_of(const ConvertedShard& shard) {
  return fs::path(shard.result).filename().string();
}

/// Throws Error unless everything in the folder is a result of convert that this run would write again.
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

source::SourceFile status_of(const std::string& path) {
  auto [file, problem] = source::look_up(path, "", source::Empty::allowed);
  if (problem) throw *problem;
  return file;
}

/// What the result will be made from, without the result's own size and time.
dataset::ConvertedOrigin origin_of(const ConvertedShard& shard, const ConvertOptions& options) {
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

/// nullopt when no result of convert exists.
std::optional<dataset::ConvertedOrigin> recorded_origin(const ConvertedShard& shard,
                                                        const ConvertOptions& options) {
  if (!base::exists(shard.result)) return std::nullopt;
  const auto text = dataset::read_converted_record(options.out_folder, name_of(shard));
  return text ? std::optional(dataset::origin_in(*text)) : std::nullopt;
}

/// True when the result was made from the same source and options, and still has its size and time.
bool is_up_to_date(const ConvertedShard& shard, dataset::ConvertedOrigin wanted,
                   const std::optional<dataset::ConvertedOrigin>& made) {
  if (!made || !made->result_bytes) return false;
  const source::SourceFile result = status_of(shard.result);
  wanted.result_bytes = result.bytes;
  if (made->result_mtime_ns) wanted.result_mtime_ns = result.mtime_ns;
  return *made == wanted;
}

bool is_whole(const ConvertedShard& shard, codec::Codec codec) {
  base::File result = base::File::open_read(shard.result);
  return codec::looks_whole(result, codec);
}

/// Throws Error when the result was made from another source that still exists.
void check_same_source(const ConvertedShard& shard, const dataset::ConvertedOrigin& wanted,
                       const std::optional<dataset::ConvertedOrigin>& made, const ConvertOptions& options) {
  if (!made || options.force || made->source.empty() || made->source == wanted.source) return;
  const fs::path maker = (fs::path(base::canonical(options.out_folder)) / made->source).lexically_normal();
  if (!base::exists(maker)) return;
  throw Error(fmt::format("is there already, made from {}", printable(maker.string())), at(shard.result),
              "give another --out; --force replaces it");
}

/// Throws Error when somebody changed the result after it was made. A file of the same size with an older
/// time has only got another time; a record without a size is from a run that was killed.
void check_not_changed(const ConvertedShard& shard, const std::optional<dataset::ConvertedOrigin>& made,
                       const ConvertOptions& options) {
  if (!made || !made->result_bytes || options.force) return;
  const source::SourceFile result = status_of(shard.result);
  const bool is_newer = made->result_mtime_ns && result.mtime_ns > *made->result_mtime_ns;
  if (result.bytes == *made->result_bytes && !is_newer) return;
  throw Error("was changed after convert wrote it, or copied without its time, and is not replaced",
              at(shard.result), "remove it, or let --force replace it");
}

/// The space for the results that are still to be written.
std::uint64_t needed_bytes(const std::vector<ConvertedShard>& shards, const ConvertOptions& options) {
  const auto is_needed = [&](const ConvertedShard& shard) {
    try {
      return options.force ||
             !is_up_to_date(shard, origin_of(shard, options), recorded_origin(shard, options));
    } catch (const Error&) {
      return false;  // will be reported when its turn comes
    }
  };
  std::uint64_t sum = 0;
  for (const ConvertedShard& shard : shards) {
    if (is_needed(shard)) sum += repack::converted_bytes(shard.source, options.codec);
  }
  return sum;
}

codec::EncoderOptions format_of(const ConvertOptions& options) {
  return {.codec = options.codec, .level = options.level, .seekable = options.seekable, .plain_bytes = {}};
}

void convert_one(ConvertedShard& shard, const ConvertOptions& options, pipeline::Workers& workers,
                 base::Reporter& reporter) {
  base::File source = base::File::open_read(shard.source);
  shard.source_bytes = source.size();
  dataset::ConvertedOrigin origin = origin_of(shard, options);
  const auto made = recorded_origin(shard, options);
  if (!options.force && is_up_to_date(shard, origin, made) && is_whole(shard, options.codec)) {
    shard.result_bytes = base::File::open_read(shard.result).size();
    shard.outcome = Outcome::up_to_date;
    reporter.progress().input_bytes += shard.source_bytes;
    return;
  }
  check_same_source(shard, origin, made, options);
  check_not_changed(shard, made, options);
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
  // The record has no size until the new result is in place, so after a crash in between nothing looks up to
  // date.
  dataset::write_converted_record(options.out_folder, name_of(shard), dataset::to_text(origin));
  result.commit();
  const source::SourceFile written = status_of(shard.result);
  origin.result_bytes = shard.result_bytes = written.bytes;
  origin.result_mtime_ns = written.mtime_ns;
  dataset::write_converted_record(options.out_folder, name_of(shard), dataset::to_text(origin));
  shard.outcome = Outcome::converted;
}

}  // namespace

std::size_t ConvertSummary::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::count_if(shards.begin(), shards.end(),
                                                [&](const auto& shard) { return shard.outcome == outcome; }));
}

std::vector<std::string> converted_paths(const ConvertOptions& options) {
  std::vector<std::string> paths;
  for (const ConvertedShard& shard : plan(options)) paths.push_back(shard.result);
  return paths;
}

ConvertSummary run_convert(const ConvertOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  ConvertSummary summary{.shards = plan(options), .seconds = 0};
  check_folder(options, summary.shards);
  if (!options.ignore_free_space)
    repack::check_free_space(options.out_folder, needed_bytes(summary.shards, options));
  base::NewFolders folders;
  folders.make(options.out_folder);
  for (const ConvertedShard& shard : summary.shards) {
    std::error_code unreadable;  // will be reported when its turn comes
    const auto bytes = fs::file_size(shard.source, unreadable);
    if (!unreadable) reporter.progress().input_bytes_total += bytes;
  }
  const auto convert_guarded = [&](std::size_t index) {
    ConvertedShard& shard = summary.shards[index];
    try {
      convert_one(shard, options, workers, reporter);
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      const Error located = error.within(at(shard.source));
      shard.problem = located.what();
      reporter.fail(located);
    }
  };
  workers.for_each(summary.shards.size(), convert_guarded, codec::encoder_memory_bytes(format_of(options)));
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
