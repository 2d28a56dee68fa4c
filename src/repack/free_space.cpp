#include "repack/free_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/filesystem.hpp"
#include "base/text/units.hpp"
#include "codec/erasure_code.hpp"
#include "codec/plain_estimate.hpp"

namespace shardmill::repack {

namespace fs = std::filesystem;

namespace {

// A line in its shard's manifest, the same in that of all samples, and indexes.
constexpr std::uint64_t kRecordBytesPerSample = 1000;
// Samples that wait for the end of the input are written twice.
constexpr std::uint64_t kHeldPerShard = 16;
// Opus of 16 kbit/s becomes 48 times as much as WAV of 48 kHz; bzip2 and its like gain little on speech.
constexpr std::uint64_t kMostGrowth = 64;

/// The folder, or the one above it that is there.
std::string existing_folder(const std::string& folder) {
  std::error_code unknown;
  fs::path path = fs::absolute(folder, unknown);
  while (path.has_relative_path() && !fs::is_directory(path, unknown)) path = path.parent_path();
  return path.string();
}

}  // namespace

std::uint64_t planned_bytes(const RepackPlan& plan, unsigned threads) {
  deal::InputEstimate amount = plan.estimate;
  const std::uint64_t limit = plan.recipe.intake.limit;
  const double taken = limit == 0 || amount.samples <= limit
                           ? 1
                           : static_cast<double>(limit) / static_cast<double>(amount.samples);
  const double samples = taken * static_cast<double>(amount.samples);
  const double tars = taken * static_cast<double>(amount.bytes);
  const double shards = std::max<double>(1, plan.shards);
  const double held = samples == 0 ? 0 : std::min(1.0, static_cast<double>(kHeldPerShard) * shards / samples);
  // Each tar goes when its compressed shard is whole.
  const bool compresses = plan.recipe.codec != codec::Codec::none;
  const double at_once = compresses ? std::min<double>(threads, shards) / shards : 0;
  const double parity =
      static_cast<double>(plan.recipe.parity) / std::min<double>(codec::kMostDataPieces, shards);
  return static_cast<std::uint64_t>((1 + parity) * (tars + samples * kRecordBytesPerSample) +
                                    tars * (held + at_once));
}

std::uint64_t converted_bytes(const std::string& shard, codec::Codec codec) {
  try {
    const base::File file = base::File::open_read(shard);
    const std::uint64_t plain = codec::estimate_plain_bytes(file);
    if (codec == codec::Codec::none) return plain;
    // No codec makes much less of speech than another, and none half of what it is.
    return std::max(plain / 2, std::min(plain, file.size()));
  } catch (const Error&) {
    return 0;  // reported when its turn comes
  }
}

bool has_plenty_of_room(const std::string& folder, std::uint64_t source_bytes) {
  try {
    return source_bytes < base::filesystem_of(existing_folder(folder)).free_bytes / kMostGrowth;
  } catch (const Error&) {
    return false;
  }
}

void check_free_space(const std::string& folder, std::uint64_t needed_bytes, std::uint64_t have_bytes) {
  const std::uint64_t free = base::filesystem_of(existing_folder(folder)).free_bytes;
  const std::uint64_t wanted = needed_bytes - std::min(needed_bytes, have_bytes);
  if (wanted <= free) return;
  throw Error(fmt::format("needs about {} more, and the filesystem has {} free", base::format_size(wanted),
                          base::format_size(free)),
              at(folder), "make room or choose another --out; --ignore-free-space tries it all the same");
}

std::uint64_t bytes_below(const std::string& folder) {
  std::error_code failure;  // a file that goes meanwhile counts for nothing
  std::uint64_t sum = 0;
  for (auto entry = fs::recursive_directory_iterator(folder, failure);
       !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code unknown;
    const auto bytes = entry->is_regular_file(unknown) ? entry->file_size(unknown) : 0;
    if (!unknown) sum += bytes;
  }
  return sum;
}

}  // namespace shardmill::repack
