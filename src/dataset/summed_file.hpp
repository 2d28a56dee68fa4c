// SummedFile: a file of a dataset while it is written, whose checksum is known when it is whole.
#pragma once

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

}  // namespace shardmill::dataset
