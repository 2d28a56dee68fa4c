// SplitRecord: split.json, which says how a folder of several datasets was split, and which they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash/hash.hpp"

namespace shardmill::manifest {

inline constexpr std::string_view kSplit = "split.json";

struct SplitRecord {
  struct Part {
    std::string name;  // also that of its folder
    std::uint64_t shards = 0;
    std::uint64_t samples = 0;
    double seconds = 0;
    std::optional<std::uint64_t> groups{};  // speakers, or keys; none of the split that gets the rest
  };

  std::string by;                                            // "speaker", "key" or "subset"
  std::string wanted;                                        // "dev=7200,test=7200", or "subset"
  std::string sizing;                                        // how many shards were asked for
  std::vector<std::pair<std::string, std::string>> options;  // as in dataset.json
  base::Xxh128 inputs_xxh3;                                  // the same
  std::vector<Part> parts;                                   // by name, the one with the rest first
};

/// The text of the whole file: indented JSON.
std::string to_json(const SplitRecord& record);
/// Throws Error, with the file, when it cannot be read, is of a newer version, or a field is missing.
SplitRecord read_split_record(const std::string& path);

/// True for a file of valid JSON that is no split.json of shardmill. False when it cannot be read.
bool is_other_json(const std::string& path);

/// The names of the datasets in a folder that was split; empty for any other folder.
std::vector<std::string> split_names(const std::string& folder);

}  // namespace shardmill::manifest
