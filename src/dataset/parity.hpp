// Parity: the files in parity/, from which lost or damaged files of a dataset can be computed again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "manifest/layout.hpp"
#include "manifest/parity_header.hpp"
#include "manifest/path_lists.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// The records that parity protects: the others are made again from them, and from shards and manifests.
inline constexpr std::array kProtectedRecords{manifest::kDataset, manifest::kRejects,
                                              manifest::kShardRecords};

/// What the parity of a dataset protects, in the order of the shards.
struct ProtectedFiles {
  std::vector<manifest::ParityGroup::File> shards;
  std::vector<manifest::ParityGroup::File> manifests;
  std::vector<manifest::ParityGroup::File> records;
};

/// Groups of about the same size, of at most 128 files: of shards, of their manifests cut in the same way,
/// and one of the records.
std::vector<manifest::ParityGroup> parity_groups(const ProtectedFiles& files, std::uint32_t parity);

/// All parity files of a dataset of so many shards.
std::vector<std::string> parity_file_names(std::uint64_t shards, std::uint32_t parity);

/// Where pieces of a group lie, by number: its files first, its parity files behind them.
using PiecePlaces = std::map<std::uint32_t, std::string>;

/// Computes `wanted` pieces of a group from those that are whole, of which there must be as many as the group
/// has files. Writes each into `folder` under its name, synced, and returns their checksums. The same bytes
/// for any number of threads. Throws Error when a piece has not the size it should have.
std::vector<manifest::Checksum> compute_pieces(const manifest::ParityGroup& group, const PiecePlaces& whole,
                                               const std::vector<std::uint32_t>& wanted,
                                               const std::string& folder, pipeline::Workers& workers,
                                               base::Reporter& reporter);

/// All parity files of a group whose files lie where `places` says, by their names.
std::vector<manifest::Checksum> write_parity(const manifest::ParityGroup& group,
                                             const std::map<std::string, std::string>& places,
                                             const std::string& folder, pipeline::Workers& workers,
                                             base::Reporter& reporter);

}  // namespace shardmill::dataset
