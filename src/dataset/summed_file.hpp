// Files of a dataset whose checksums are computed while they are written. SummedFile: any such file.
// GrowingList: one with a JSON list. join_files: many files, one after another in one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "manifest/layout.hpp"
#include "pipeline/workers.hpp"

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

/// Hashes of the files; SHA-256 as `sha256sum` prints it.
struct JoinedFiles {
  std::vector<std::string> sha256;   // of each file
  std::vector<std::uint64_t> quick;  // of each file, as RunningHash computes it
  std::string sha256_of_all;         // of everything that was written
};

/// Writes the files to `all`, which the caller must commit. A missing file counts as an empty one. Reads,
/// hashes and writes at the same time, in bounded memory.
JoinedFiles join_files(const std::vector<std::string>& paths, base::AtomicFile& all,
                       pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::dataset
