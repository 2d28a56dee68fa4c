// SummedFile: a file of a dataset while it is written, whose checksum is known when it is whole. GrowingList:
// such a file with a JSON list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

class SummedFile {
 public:
  /// `name`: below `folder`. Makes the folders above it.
  SummedFile(const std::string& folder, std::string name);

  void write(std::string_view text);
  /// Gives the file its name. It is whole and synced when this returns.
  manifest::Checksum commit();

 private:
  std::string name_;
  std::optional<base::AtomicFile> file_;
  base::Sha256 hash_;
};

/// Writes a whole file.
manifest::Checksum write_whole(const std::string& folder, std::string name, std::string_view text);

/// A JSON object or array that grows by one entry at a time, each in a line.
class GrowingList {
 public:
  /// `brackets`: "[]" or "{}".
  GrowingList(const std::string& folder, std::string name, std::string_view brackets);

  void add(std::string_view entry);
  manifest::Checksum commit();
  std::uint64_t entries() const { return entries_; }

 private:
  SummedFile file_;
  std::string_view end_;
  std::uint64_t entries_ = 0;
};

}  // namespace shardmill::dataset
