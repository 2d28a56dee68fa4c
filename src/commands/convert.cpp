#include "commands/convert.hpp"

#include <chrono>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "convert/conversion.hpp"
#include "dataset/free_space.hpp"

namespace shardmill::commands {

namespace {

/// Unreadable shards count as 0 bytes here; they are reported when they are converted.
std::uint64_t bytes_of_sources(const std::vector<convert::ConvertedShard>& shards) {
  std::uint64_t sum = 0;
  for (const convert::ConvertedShard& shard : shards) {
    std::error_code unreadable;
    const auto bytes = std::filesystem::file_size(shard.source, unreadable);
    if (!unreadable) sum += bytes;
  }
  return sum;
}

/// Converts one shard; when that fails, reports the error and notes it as the shard's problem.
void convert_guarded(convert::ConvertedShard& shard, const convert::ConvertOptions& options,
                     pipeline::Workers& workers, base::Reporter& reporter) {
  try {
    convert::convert_shard(shard, options, workers, reporter);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    const Error located = error.within(at(shard.source));
    shard.problem = located.what();
    reporter.fail(located);
  }
}

}  // namespace

convert::ConvertSummary run_convert(const convert::ConvertOptions& options, pipeline::Workers& workers,
                                    base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  convert::ConvertSummary summary{.shards = convert::plan_results(options), .seconds = 0};
  convert::check_folder(options, summary.shards);
  if (!options.ignore_free_space)
    dataset::check_free_space(options.out_folder, convert::needed_bytes(summary.shards, options));
  base::NewFolders folders;
  folders.make(options.out_folder);
  reporter.progress().input_bytes_total += bytes_of_sources(summary.shards);
  workers.for_each(
      summary.shards.size(),
      [&](std::size_t i) { convert_guarded(summary.shards[i], options, workers, reporter); },
      codec::encoder_memory_bytes(convert::format_of(options)));
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
