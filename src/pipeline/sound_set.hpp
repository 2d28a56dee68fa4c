// SoundSet: which sounds were taken already, and under which names. It holds 16 bytes a sound in memory, with
// room for more: 10 million take 270 MB. The names are in a scratch file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"

namespace shardmill::pipeline {

/// One thread at a time.
class SoundSet {
 public:
  /// The names are written to the file `path`.
  explicit SoundSet(const std::string& path);

  /// The name under which the sound was taken; nullopt when it was not.
  std::optional<std::string> find(const base::Xxh128& sound);
  /// Keeps the first name when the sound is there already.
  void insert(const base::Xxh128& sound, std::string_view name);
  std::size_t size() const noexcept { return size_; }

  void sync() { log_.sync(); }
  FileMark mark() const { return log_.mark(); }
  /// Goes on from there. Throws Error when the file has changed.
  void restore(const FileMark& mark);

 private:
  struct Slot {
    std::uint64_t sound = 0;  // the first bytes of the hash
    std::uint64_t place = 0;  // of the entry in the file, from 1; 0: free
  };

  struct Entry {
    base::Xxh128 sound;
    std::string name;
  };

  Entry entry_at(std::uint64_t place);
  void put(Slot slot);
  void grow();

  AppendLog log_;
  std::string path_;
  std::uint64_t end_ = 0;  // of the file, including bytes that are not written yet
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace shardmill::pipeline
