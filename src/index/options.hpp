// What index is asked to write, and what it wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/forms.hpp"

namespace shardmill::index {

struct IndexOptions {
  std::vector<std::string> targets;  // one dataset folder, or shards in any form that sources take
  dataset::Forms kinds;
  std::string list_root{};  // new prefix of the shards in a dataset's lists; empty: lists stay
  std::string command;      // the command line, shown to others whom the lock keeps out
};

struct IndexSummary {
  std::string folder;  // the folder that the indexes are for
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::vector<std::string> files;    // indexes, relative to it
  std::vector<std::string> lists{};  // lists and records that were written anew
};

}  // namespace shardmill::index
