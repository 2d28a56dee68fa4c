// SpoolSet: the growing plain tars of all output shards and their manifests. Many threads append to them at
// once, but the bytes do not depend on which thread came first.
// HashQueue: computes SHA-256 of many growing files. Bytes wait until there are enough to hash many files
// side by side, where that is faster.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/hash/sha256_lanes.hpp"
#include "base/io/file.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/workers.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::pipeline {

class HashQueue {
 public:
  /// At most `most_bytes` bytes wait in the queue, plus those of the last call of add(); usually about a
  /// quarter of that. Each thread that is hashing holds about another quarter.
  HashQueue(std::size_t files, std::uint64_t most_bytes, base::Sha256Lanes lanes = base::Sha256Lanes());

  /// Adds the next bytes of a file. Thread-safe, but only one thread at a time may add to a file. If this
  /// throws (out of memory), the hashes are no longer valid.
  void add(std::size_t file, Bytes&& bytes);
  /// Hashes everything that waits. Nothing else may run at the same time.
  void finish();

  /// The state of a file's hash. Call finish() first.
  base::Sha256::State state(std::size_t file) const { return files_[file].hash.state(); }
  void restore(std::size_t file, const base::Sha256::State& state);

 private:
  struct Waiting {
    std::vector<Bytes> pieces;
    std::uint64_t front_offset = 0;  // this many bytes of the first piece are hashed
    std::uint64_t bytes = 0;         // bytes that are not hashed
  };
  struct File {
    base::Sha256 hash;
    Waiting waiting;
    bool is_claimed = false;  // a thread is hashing bytes of this file
  };
  /// What one thread has taken from the queue to hash.
  struct Claim {
    File* file;
    Waiting waiting;
  };

  void put(File& file, Bytes&& bytes);
  void hash_in_time(std::unique_lock<std::mutex>& lock);
  bool is_time() const;
  std::vector<Claim> claim(std::uint64_t most_bytes);
  void hash(std::vector<Claim>& claims, bool whole) const;
  void give_back(std::vector<Claim>& claims);

  std::uint64_t most_bytes_;
  base::Sha256Lanes lanes_;
  std::vector<File> files_;
  std::mutex mutex_;  // guards the members below, and the waiting bytes
  std::condition_variable given_back_;
  std::uint64_t waiting_bytes_ = 0;  // bytes that no thread has claimed
  std::size_t ready_files_ = 0;      // files with waiting bytes that no thread has claimed
  std::size_t next_file_ = 0;        // the file to claim next
  bool has_failed_ = false;
};

/// How far one spool is. With this it can be cut back to this point and continued.
struct SpoolState {
  std::uint64_t tar_bytes = 0;
  std::uint64_t manifest_bytes = 0;
  base::Sha256::State tar_hash{};
  bool is_hashed = true;  // tar_hash is valid; false when the tar was cut without being read
  std::uint64_t tar_check = base::RunningHash().digest();       // hash of these bytes of the tar
  std::uint64_t manifest_check = base::RunningHash().digest();  // and of the manifest

  FileMark tar_mark() const { return {.bytes = tar_bytes, .hash = tar_check}; }
  FileMark manifest_mark() const { return {.bytes = manifest_bytes, .hash = manifest_check}; }
};

/// Paths in a folder of spools.
std::string spooled_tar_path(const std::string& folder, std::uint32_t shard);
std::string spooled_manifest_path(const std::string& folder, std::uint32_t shard);

class SpoolSet {
 public:
  /// `folder` must exist. `hash_tars`: keep a running SHA-256 of each tar, which is not needed if the tar
  /// will be compressed.
  SpoolSet(std::string folder, std::uint32_t shards, bool hash_tars, Workers& workers);
  ~SpoolSet();
  SpoolSet(const SpoolSet&) = delete;
  SpoolSet& operator=(const SpoolSet&) = delete;

  /// Reserves the next `bytes` bytes of a shard's tar, and returns where they begin. One thread at a time.
  std::uint64_t reserve(std::uint32_t shard, std::uint64_t bytes);

  /// Fills a range that reserve() gave. Thread-safe, in any order; lines join the manifest in the order of
  /// the offsets. The sample and its `share` stay in memory until its turn comes.
  void append(std::uint32_t shard, std::uint64_t offset, Bytes&& packed, std::string&& line,
              BudgetShare&& share);

  /// Counts the next `bytes` bytes of a shard's tar as present, for a shard that is packed already.
  void skip(std::uint32_t shard, std::uint64_t bytes);

  /// Makes everything that was appended durable. Nothing else may run, and every reserved range must be
  /// filled.
  void sync();

  /// The state of every shard. Call sync() first.
  std::vector<SpoolState> states() const;
  /// Cuts the spools back to `states` and continues from there. Reads all of them, and throws Error when one
  /// is shorter or its bytes have changed. Any thread calls `between_steps` now and then; it may throw.
  void restore(const std::vector<SpoolState>& states, const std::function<void()>& between_steps = {});

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(shards_.size()); }
  std::uint64_t tar_bytes(std::uint32_t shard) const { return shards_[shard]->ordered_bytes; }
  std::string tar_path(std::uint32_t shard) const;
  /// Where the compressed shard is when it is whole. Then the tar is removed.
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
    base::File tar;  // open only if all shards can be open at the same time
    std::uint64_t reserved_bytes = 0;
    std::uint64_t ordered_bytes = 0;    // given to the hash in order; their lines are in the manifest buffer
    std::uint64_t manifest_bytes = 0;   // on disk
    std::uint64_t writeback_bytes = 0;  // the disk has been asked to write them
    bool draining = false;
    std::map<std::uint64_t, Pending> pending;  // filled ranges before which bytes are missing
    bool is_hashed = true;
    base::RunningHash tar_check;       // of ordered_bytes
    base::RunningHash manifest_check;  // of manifest_bytes
    std::string lines;                 // not on disk yet
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

/// Raises the limit on open files as far as the system allows; returns how many may be open.
std::uint64_t raise_open_file_limit();

}  // namespace shardmill::pipeline
