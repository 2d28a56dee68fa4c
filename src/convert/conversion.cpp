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
#include "codec/file_facts.hpp"
#include "convert/origin.hpp"
#include "dataset/converted_record.hpp"
#include "dataset/environment.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "pipeline/decode.hpp"
#include "shard/tar_input.hpp"
#include "source/file_name.hpp"

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

}  // namespace shardmill::convert
