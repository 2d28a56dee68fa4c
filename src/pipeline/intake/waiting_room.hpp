// WaitingRoom: audio files of an archive whose texts have not come yet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "shardmill/sample.hpp"
#include "source/scratch_space.hpp"

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

}  // namespace shardmill::pipeline
