// Losses: how many samples were left out because of errors, as far as anybody can know.
#pragma once

#include <cstdint>
#include <string>

#include "manifest/dataset_record.hpp"

namespace shardmill::repack {

/// As a limit: any number of samples may be lost, even an unknown number.
inline constexpr std::uint64_t kAnyNumber = UINT64_MAX;

struct Losses {
  std::uint64_t samples = 0;        // as far as the number is known
  std::uint64_t unknown_files = 0;  // source files that could not be read whole: their samples are unknown
};

/// Throws Error when the file cannot be read.
Losses losses_in(const std::string& rejects_path);

/// What the last run left out that wrote the dataset: repack, or an update. Reads the file only where the
/// record does not tell.
Losses losses_of_last_run(const manifest::DatasetRecord& dataset, const std::string& rejects_path);

bool is_within(const Losses& losses, std::uint64_t max_rejects);

}  // namespace shardmill::repack
