// A file of an index while it is written, and a JSON list that grows in one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

/// A file that is being written; commit() gives it its name.
class IndexFile {
 public:
  IndexFile(const std::string& folder, std::string name);

  void write(std::string_view text);
  /// The file is whole and synced when this returns.
  manifest::Checksum commit();

 private:
  std::string name_;
  std::optional<base::AtomicFile> file_;
  base::Sha256 hash_;
};

manifest::Checksum write_whole(const std::string& folder, std::string name, std::string_view text);

/// A JSON object or array that grows by one entry at a time, each in a line.
class GrowingList {
 public:
  GrowingList(const std::string& folder, std::string name, std::string_view brackets);

  void add(std::string_view entry);
  manifest::Checksum commit();
  std::uint64_t entries() const { return entries_; }

 private:
  IndexFile file_;
  std::string_view end_;
  std::uint64_t entries_ = 0;
};

}  // namespace shardmill::dataset
