// SpoolSet: the growing plain tars of all output shards and their manifests, appended to by many threads at
// once, with bytes that do not depend on which thread came first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "model/sample.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/checkpoint/scratch_check.hpp"
#include "pipeline/placing/hash_queue.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// How far one spool is; enough to cut it back to this point and go on.
struct SpoolState {
  std::uint64_t tar_bytes = 0;
  std::uint64_t manifest_bytes = 0;
  base::Sha256::State tar_hash{};
  bool is_hashed = true;  // tar_hash is that of the tar: not where it was cut without reading it
  std::uint64_t tar_check = base::RunningHash().digest();       // of these bytes of the tar
  std::uint64_t manifest_check = base::RunningHash().digest();  // and of the manifest

  FileMark tar_mark() const { return {.bytes = tar_bytes, .hash = tar_check}; }
  FileMark manifest_mark() const { return {.bytes = manifest_bytes, .hash = manifest_check}; }
};

/// In a folder of spools.
std::string spooled_tar_path(const std::string& folder, std::uint32_t shard);
std::string spooled_manifest_path(const std::string& folder, std::uint32_t shard);

class SpoolSet {
 public:
  /// `folder` exists. `hash_tars`: keep a running SHA-256 of each tar; not needed where it is compressed
  /// later.
  SpoolSet(std::string folder, std::uint32_t shards, bool hash_tars, Workers& workers);
  ~SpoolSet();
  SpoolSet(const SpoolSet&) = delete;
  SpoolSet& operator=(const SpoolSet&) = delete;

  /// Room for the next `bytes` of a shard's tar; returns where it begins. One thread at a time.
  std::uint64_t reserve(std::uint32_t shard, std::uint64_t bytes);

  /// Fills what reserve() gave. Any thread, in any order; `line` joins the manifest in the order of the
  /// offsets. Until its turn comes the sample stays in memory, and `share` with it.
  void append(std::uint32_t shard, std::uint64_t offset, Bytes&& packed, std::string&& line,
              BudgetShare&& share);

  /// Counts the next `bytes` of a shard's tar as there: for a shard that is packed already.
  void skip(std::uint32_t shard, std::uint64_t bytes);

  /// Makes everything appended durable. Nothing else may run; every reserved range must have been filled.
  void sync();

  /// After sync(): the state of every shard.
  std::vector<SpoolState> states() const;
  /// Cuts the spools back to `states` and goes on from there. Throws Error where one is shorter than that, or
  /// does not hold the bytes that were written to it; for that all of them are read. `between_steps` is
  /// called now and then, by any thread, and may throw.
  void restore(const std::vector<SpoolState>& states, const std::function<void()>& between_steps = {});

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(shards_.size()); }
  std::uint64_t tar_bytes(std::uint32_t shard) const { return shards_[shard]->ordered_bytes; }
  std::string tar_path(std::uint32_t shard) const;
  /// Where the compressed shard lies once it is whole; the tar is removed then.
  std::string packed_path(std::uint32_t shard) const { return tar_path(shard) + ".packed"; }
  bool is_packed(std::uint32_t shard) const;
  std::string manifest_path(std::uint32_t shard) const;

 private:
  struct Pending {
    Bytes packed;
    std::string line;
    BudgetShare share;
  };
  struct Shard {
    std::mutex mutex;
    base::File tar;  // open only where all shards can be open at once
    std::uint64_t reserved_bytes = 0;
    std::uint64_t ordered_bytes = 0;    // on their way to the hash, their lines in the manifest buffer
    std::uint64_t manifest_bytes = 0;   // on disk
    std::uint64_t writeback_bytes = 0;  // the disk has been asked to write them
    bool draining = false;
    std::map<std::uint64_t, Pending> pending;  // written, waiting for what comes before them
    bool is_hashed = true;
    base::RunningHash tar_check;       // of ordered_bytes
    base::RunningHash manifest_check;  // of manifest_bytes
    std::string lines;                 // not yet on disk
  };

  void restore_one(std::uint32_t shard, const SpoolState& state, const std::function<void()>& between_steps);
  void write_tar(std::uint32_t shard, std::uint64_t offset, const Bytes& packed);
  void drain(std::uint32_t shard);
  static void start_writeback(Shard& shard);
  void write_lines(std::uint32_t shard);
  void sync_files(std::uint32_t shard);

  std::string folder_;
  bool hash_tars_;
  Workers& workers_;
  bool keep_open_;
  std::vector<std::unique_ptr<Shard>> shards_;
  HashQueue hashes_;
};

/// Raises the limit on open files as far as the system lets this process; returns how many may be open.
std::uint64_t raise_open_file_limit();

}  // namespace shardmill::pipeline
