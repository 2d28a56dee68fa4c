// The files of an index: some text, or a JSON list that grows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataset/summed_file.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

using IndexFile = SummedFile;

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
