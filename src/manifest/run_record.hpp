// RunRecord: run.json, which says what differs from run to run: when, how long, where, with which versions.
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

struct RunRecord {
  /// A source file as it was when the run began. From these a later run sees that a source changed.
  struct Input {
    std::string dataset;
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
  };

  /// A run that made or changed the dataset, when that was more than one.
  struct Event {
    std::string update;  // the id that the update has in dataset.json; empty: the dataset was made
    std::string command;
    std::string started;
    double seconds = 0;
  };

  std::string command;
  std::string started;  // UTC, "2026-01-31T12:00:00Z"
  double seconds = 0;
  std::uint64_t resumed = 0;  // how often the run was interrupted and continued
  std::string host;
  std::string system;       // "Linux 6.1.0 x86_64"
  std::string cpu;          // its name
  std::string vector_path;  // base::VectorPath
  std::string filesystem;   // under the output folder: "ext4"
  std::uint64_t cores = 0;
  std::uint64_t threads = 0;
  std::uint64_t memory_bytes = 0;
  std::string list_root;
  std::uint64_t max_rejects = 0;  // how many samples may be left out because of errors
  std::vector<std::pair<std::string, std::string>> versions;  // program and libraries
  std::vector<Input> inputs;
  std::vector<Event> history{};  // in their order; the last one is this run
  std::string indexes{};         // the names of those that were added to the finished dataset: "wids,dali"
  /// Of the files that were sent to a bucket, by their paths: the CRC-64/NVME in base 64, and the tags that
  /// the server gave them.
  std::vector<std::pair<std::string, std::string>> sent_crc64{};
  std::vector<std::pair<std::string, std::string>> sent_tags{};
};

/// The text of the whole file: indented JSON. Its last member, self_xxh3, is the hash of the text with zeros
/// in place of the hash's own digits, because no other record has a checksum of this file.
std::string to_json(const RunRecord& record);
/// Throws Error, with the file, when it cannot be read, when a field is missing or impossible, or when any
/// byte was changed.
RunRecord read_run_record(const std::string& path);

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
