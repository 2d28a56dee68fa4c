// For archives that are read. WaitingRoom: audio files of an archive whose texts have not come yet.
// FileDigest: computes the MD5 of a file that somebody else reads from front to back; its own thread follows
// the reader while the bytes are still in the system's cache.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "shardmill/sample.hpp"
#include "source/archive_entries.hpp"

namespace shardmill::pipeline {

struct WaitingAudio {
  std::string path;   // in the tree
  std::string place;  // for errors
  Bytes bytes;
  std::shared_ptr<base::File> file{};  // instead of these, of a large one
  std::uint64_t end_offset = 0;
};

/// Holds a bounded number of bytes in memory, and the rest in a scratch file without a name. One thread at a
/// time.
class WaitingRoom {
 public:
  explicit WaitingRoom(std::shared_ptr<source::ScratchSpace> space) : space_(std::move(space)) {}

  /// `awaited` is the text that the file waits for. Throws Error and FatalError when there is no room.
  void put(std::string awaited, WaitingAudio audio);
  /// Tells that this text has come: next() may now give the files that wait for it, in the order in which
  /// they came.
  void call(const std::string& awaited);
  void call_all();
  /// The next file that was called and for whose path there is an answer now; the others go on waiting.
  /// nullopt when no file is ready. Throws Error when the scratch file cannot be read.
  std::optional<WaitingAudio> next(const std::function<bool(const std::string& path)>& has_answer);

  bool empty() const noexcept { return waiting_.empty(); }

 private:
  struct Entry {
    WaitingAudio audio;
    std::string awaited;
    std::optional<std::uint64_t> scratch_offset{};
    std::uint64_t bytes = 0;
  };

  void write(Entry& entry);
  std::optional<WaitingAudio> take(std::uint64_t number);

  std::map<std::uint64_t, Entry> waiting_;  // by their numbers
  std::unordered_map<std::string, std::vector<std::uint64_t>> by_awaited_;
  std::set<std::uint64_t> called_;
  std::uint64_t next_number_ = 0;
  std::uint64_t bytes_in_memory_ = 0;
  std::uint64_t bytes_in_scratch_ = 0;
  std::shared_ptr<source::ScratchSpace> space_;
  base::File scratch_;
};

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
