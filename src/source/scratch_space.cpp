#include "source/scratch_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/io/filesystem.hpp"
#include "base/io/memory_file.hpp"
#include "base/text/units.hpp"

namespace shardmill::source {

ScratchSpace::ScratchSpace(std::uint64_t archive_bytes)
    : folder_(base::scratch_folder()),
      most_bytes_(archive_bytes > (UINT64_MAX - kAlwaysBytes) / kMostTimes
                      ? UINT64_MAX
                      : archive_bytes * kMostTimes + kAlwaysBytes) {}

base::File ScratchSpace::file() const {
  return base::scratch_file(folder_);
}

void ScratchSpace::take(std::uint64_t bytes) {
  const std::uint64_t before = taken_bytes_.fetch_add(bytes);
  try {
    if (before > most_bytes_ || bytes > most_bytes_ - before) {
      throw Error(fmt::format("unpacks to more than {}, which is more than {} times the size of the archive",
                              base::format_size(most_bytes_), kMostTimes),
                  {}, "no audio does that: it may be made to fill the disk");
    }
    check_free_space(bytes);
  } catch (...) {
    give_back(bytes);
    throw;
  }
}

/// Leaves the others on this machine a gigabyte, or a tenth of a small filesystem.
void ScratchSpace::check_free_space(std::uint64_t bytes) const {
  constexpr std::uint64_t kLeftBytes = std::uint64_t{1} << 30;
  const base::Filesystem filesystem = base::filesystem_of(folder_);
  const std::uint64_t left = std::min(kLeftBytes, filesystem.total_bytes / 10);
  if (filesystem.free_bytes >= left && filesystem.free_bytes - left >= bytes) return;
  throw FatalError(Error(
      fmt::format("has {} free, and large files need {} more to wait in, with {} left to others",
                  base::format_size(filesystem.free_bytes), base::format_size(bytes),
                  base::format_size(left)),
      at(folder_),
      "set TMPDIR to a folder with more room; an archive may be unpacked instead, and its folder given"));
}

std::shared_ptr<base::File> ScratchSpace::share(base::File&& file, std::uint64_t bytes) {
  auto space = shared_from_this();
  return {new base::File(std::move(file)), [space, bytes](base::File* shared) {
            delete shared;
            space->give_back(bytes);
          }};
}

}  // namespace shardmill::source
