#include "training/cold_read.hpp"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/fatal_error.hpp"
#include "base/io/file.hpp"

namespace shardmill::training {

namespace {

using ReadClock = std::chrono::steady_clock;

constexpr std::size_t kMostFiles = 8;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

double seconds_since(ReadClock::time_point start) {
  return std::chrono::duration<double>(ReadClock::now() - start).count();
}

/// True when the first bytes are in memory still. False where the filesystem cannot tell.
bool is_in_memory(const base::File& file) {
  std::byte byte{};
  struct iovec part {};
  part.iov_base = &byte;
  part.iov_len = 1;
  return ::preadv2(file.descriptor(), &part, 1, 0, RWF_NOWAIT) == 1;
}

void read_some(const std::string& path, std::uint64_t most_bytes, double seconds,
               std::vector<std::byte>& chunk, base::Reporter& reporter, double& taken, ColdRead& read) {
  const base::File file = base::File::open_read(path);
  ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);  // only advice: a failure does not matter
  const bool was_in_memory = is_in_memory(file);
  const auto start = ReadClock::now();
  for (std::uint64_t done = 0; done < most_bytes && seconds_since(start) < seconds;) {
    reporter.check_stop();
    const std::size_t got = file.read_at(chunk, done);
    done += got;
    read.bytes += got;
    if (got < chunk.size()) break;
  }
  taken += seconds_since(start);
  read.is_from_memory = read.is_from_memory || was_in_memory;
  ++read.files;
}

}  // namespace

ColdRead read_cold(const std::vector<std::string>& paths, std::uint64_t most_bytes, double seconds,
                   base::Reporter& reporter) {
  ColdRead read;
  std::vector<std::byte> chunk(kReadBytes);
  const std::size_t files = std::min(kMostFiles, paths.size());
  double taken = 0;
  try {
    for (std::size_t i = 0; i < files && taken < seconds; ++i) {
      read_some(paths[i * paths.size() / files], most_bytes / files, seconds / static_cast<double>(files),
                chunk, reporter, taken, read);
    }
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    read.problem = error.what();
  } catch (const FatalError& error) {  // doctor reports what the machine cannot do
    read.problem = error.what();
  }
  if (taken > 0) read.bytes_per_second = static_cast<double>(read.bytes) / taken;
  return read;
}

}  // namespace shardmill::training
