// FileDigest: computes the MD5 of a file that somebody else reads from front to back. Its own thread follows
// the reader while the bytes are still in the system's cache.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::pipeline {

class FileDigest {
 public:
  explicit FileDigest(base::File file);
  FileDigest(const FileDigest&) = delete;
  FileDigest& operator=(const FileDigest&) = delete;
  ~FileDigest();

  /// Tells how far the reader has come.
  void advance(std::uint64_t offset);
  /// The MD5 of the whole file. Waits until it is known. Throws Error when the file cannot be read.
  std::string finish();
  /// The MD5 of each volume of the file, once finish() has returned.
  const std::vector<std::string>& of_volumes() const noexcept { return of_volumes_; }

 private:
  void run();

  base::File file_;
  std::uint64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t allowed_ = 0;  // how far the thread may read
  bool is_given_up_ = false;
  std::string result_;
  std::vector<std::string> of_volumes_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace shardmill::pipeline
