#include "doctor/node.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "source/source_set.hpp"

namespace shardmill::doctor {

namespace {

using ReadClock = std::chrono::steady_clock;

constexpr std::size_t kMostFiles = 8;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

double read_seconds(ReadClock::time_point start) {
  return std::chrono::duration<double>(ReadClock::now() - start).count();
}

/// True if the first bytes are still in memory. False if the filesystem cannot examine that.
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
  for (std::uint64_t done = 0; done < most_bytes && read_seconds(start) < seconds;) {
    reporter.check_stop();
    const std::size_t got = file.read_at(chunk, done);
    done += got;
    read.bytes += got;
    if (got < chunk.size()) break;
  }
  taken += read_seconds(start);
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
  } catch (const FatalError& error) {  // doctor reports the failures of the machine
    read.problem = error.what();
  }
  if (taken > 0) read.bytes_per_second = static_cast<double>(read.bytes) / taken;
  return read;
}

namespace {

constexpr const char* kSharedMemory = "/dev/shm";

std::uint64_t soft_open_files() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::optional<SharedMemory> shared_memory() {
  try {
    const base::Filesystem filesystem = base::filesystem_of(kSharedMemory);
    return SharedMemory{.kind = filesystem.mount.kind,
                        .total_bytes = filesystem.total_bytes,
                        .free_bytes = filesystem.free_bytes};
  } catch (const Error&) {
    return std::nullopt;  // there is no /dev/shm
  }
}

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// The paths of all shards, and what the records say of them.
std::vector<std::string> find_shards(ShardsFacts& facts) {
  std::vector<std::string> paths;
  facts.is_dataset = base::exists(base::inside(facts.folder, manifest::kDataset));
  if (facts.is_dataset) {
    const dataset::DatasetRecords records = dataset::sound_records(facts.folder);
    for (const manifest::ShardRecord& shard : *records.shards) {
      paths.push_back(records.path(shard.path));
      facts.bytes += shard.bytes;
      facts.seconds += shard.seconds;
    }
  } else {
    for (const source::SourceDataset& dataset :
         source::find_sources({facts.folder}, {.corpora = false}).datasets) {
      for (const source::SourceFile& file : dataset.files) {
        paths.push_back(file.path);
        facts.bytes += file.bytes;
      }
    }
  }
  facts.shards = paths.size();
  return paths;
}

ShardsFacts survey_shards(const std::string& folder, const Patience& patience, base::Reporter& reporter) {
  ShardsFacts facts{.folder = folder, .filesystem = base::filesystem_of(folder), .read = {}, .problem = {}};
  try {
    const std::vector<std::string> paths = find_shards(facts);
    facts.read = read_cold(paths, patience.read_bytes, patience.read_seconds, reporter);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    facts.problem = error.what();
  } catch (const FatalError& error) {  // doctor reports the failures of the machine
    facts.problem = error.what();
  }
  return facts;
}

}  // namespace

Node survey_node(const Job& job, const std::string& python, const std::string& folder,
                 const Patience& patience, base::Reporter& reporter) {
  Node node;
  node.job = job;
  node.machine = base::machine();
  node.open_files = soft_open_files();
  node.shared_memory = shared_memory();
  reporter.phase("asking nvidia-smi");
  node.visible_devices = environment("CUDA_VISIBLE_DEVICES");
  node.gpus = survey_gpus(patience.answer);
  reporter.phase("asking python3");
  node.python = survey_python(python, patience.answer);
  node.is_python_named = !python.empty();
  if (!folder.empty()) {
    reporter.phase("reading shards");
    node.shards = survey_shards(folder, patience, reporter);
  }
  reporter.phase("");
  if (job.ranks == 0) {
    const std::uint64_t gpus = node.gpus.gpus.empty() ? node.python.devices : node.visible().size();
    node.job.ranks = std::max<std::uint64_t>(1, job.on_cpu ? 1 : gpus);
  }
  return node;
}

}  // namespace shardmill::doctor
