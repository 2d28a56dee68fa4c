// SourceReads: how often each source file was read in the history of a dataset.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manifest/run_record.hpp"

namespace shardmill::check {

struct Reads {
  std::uint32_t sure = 1;    // how often the file was read as it is now
  std::uint32_t unsure = 0;  // how often more while it was another one, which may not have had each sample

  bool operator==(const Reads&) const = default;
};

class SourceReads {
 public:
  /// What a dataset was made of, and what was added to it. Call it for each of several datasets that were
  /// made of the same sources together.
  void add(const std::vector<manifest::RunRecord::Input>& inputs);

  struct File {
    std::string path;
    std::uint64_t bytes = 0;         // as it is now
    std::int64_t mtime_ns = 0;       // the same
    std::string dataset{};           // that it was read for; empty: for any
    bool is_told_elsewhere = false;  // another file says which samples it has
    std::string read_with{};  // a dataset's record that was read as often: its other shards may have had them
  };
  /// Whether any file was read more than once.
  bool has_repeats() const { return has_repeats_; }

  /// Of a file that no record names: it was read once.
  Reads of(const File& file) const;

 private:
  /// A file as it was, and how often it was read.
  struct Seen {
    std::string dataset;
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
    std::uint32_t times = 0;

    bool is_same(const Seen& other) const {
      return dataset == other.dataset && bytes == other.bytes && mtime_ns == other.mtime_ns;
    }
  };

  bool has_repeats_ = false;
  std::map<std::string, std::vector<Seen>> files_;  // by absolute path
};

}  // namespace shardmill::check
