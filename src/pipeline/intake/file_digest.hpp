// FileDigest: the MD5 of a file that somebody reads from front to back, taken behind the reader on a thread
// of its own, while the bytes are still in the system's cache.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "base/io/file.hpp"

namespace shardmill::pipeline {

class FileDigest {
 public:
  explicit FileDigest(base::File file);
  FileDigest(const FileDigest&) = delete;
  FileDigest& operator=(const FileDigest&) = delete;
  ~FileDigest();

  /// The reader has come so far.
  void advance(std::uint64_t offset);
  /// Of the whole file; waits for it. Throws Error when the file cannot be read.
  std::string finish();

 private:
  void run();

  base::File file_;
  std::uint64_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t allowed_ = 0;  // may be read
  bool is_given_up_ = false;
  std::string result_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace shardmill::pipeline
