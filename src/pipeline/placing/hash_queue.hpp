// HashQueue: computes SHA-256 of many growing files. Bytes wait until there are enough to hash many files
// side by side, where that is faster.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/hash/sha256_lanes.hpp"
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

}  // namespace shardmill::pipeline
