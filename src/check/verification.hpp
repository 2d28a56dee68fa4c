// What a check of a dataset or of shards is asked for, and what it found.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/finding.hpp"

namespace shardmill::check {

struct VerifyOptions {
  std::vector<std::string> targets;  // the folder of one dataset, or shards that anyone made
  bool decode = false;               // every audio, in full
  std::vector<std::string> against;  // [NAME=]SOURCE: what these were made of
  bool allow_commands = false;       // that such a source names instead of audio files
};

/// Whether a missing or damaged file of a dataset can be made again.
struct Repairability {
  std::string from;  // "parity", "files" or "sources"; empty: it cannot
  std::string why;   // it cannot
};

struct VerifySummary {
  bool is_dataset = false;
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;    // that are there, whole or not
  std::uint64_t with_text = 0;  // of them, that have a transcript
  double audio_seconds = 0;
  std::uint64_t bytes = 0;                         // of the files that were read
  std::uint64_t source_samples = 0;                // that were compared
  std::vector<Finding> findings{};                 // notes among them
  std::map<std::string, Repairability> repairs{};  // by path, of all files that are missing or damaged
  double seconds = 0;

  /// The shards that something is wrong with, and those that are missing, by their names.
  std::vector<std::string> bad_shards() const;
  std::uint64_t count(Finding::Severity severity) const;
};

/// True when `path` is a folder that repack made or began, finished or not.
bool is_dataset_folder(const std::string& path);

}  // namespace shardmill::check
