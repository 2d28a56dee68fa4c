// HashQueue: SHA-256 of many growing files; their bytes wait until there are enough to hash many files side
// by side, where that is faster.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/hash/sha256_lanes.hpp"
#include "model/sample.hpp"

namespace shardmill::pipeline {

class HashQueue {
 public:
  /// At most `most_bytes` wait, and the last that came; mostly a quarter of that. A thread that hashes has
  /// about a quarter beside.
  HashQueue(std::size_t files, std::uint64_t most_bytes, base::Sha256Lanes lanes = base::Sha256Lanes());

  /// The next bytes of a file. From any thread, but for each file from one at a time. Once this has thrown
  /// (memory), the hashes mean nothing any more.
  void add(std::size_t file, Bytes&& bytes);
  /// Hashes all that waits. Nothing else may run.
  void finish();

  /// After finish().
  base::Sha256::State state(std::size_t file) const { return files_[file].hash.state(); }
  void restore(std::size_t file, const base::Sha256::State& state);

 private:
  struct Waiting {
    std::vector<Bytes> pieces;
    std::uint64_t front_offset = 0;  // so much of the first is hashed
    std::uint64_t bytes = 0;         // not hashed
  };
  struct File {
    base::Sha256 hash;
    Waiting waiting;
    bool is_claimed = false;  // a thread is hashing what waited when it came
  };
  /// What one thread has taken on.
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
  std::mutex mutex_;  // of all that follows, and of what waits
  std::condition_variable given_back_;
  std::uint64_t waiting_bytes_ = 0;  // not claimed
  std::size_t ready_files_ = 0;      // something waits, nobody has claimed them
  std::size_t next_file_ = 0;        // to be claimed first
  bool has_failed_ = false;
};

}  // namespace shardmill::pipeline
