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
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// The records that parity protects. The others can be made again from these, the shards and the manifests.
inline constexpr std::array kProtectedRecords{manifest::kDataset, manifest::kRejects,
                                              manifest::kShardRecords};

/// What the parity of a dataset protects, in the order of the shards.
struct ProtectedFiles {
  std::vector<manifest::ParityGroup::File> shards;
  std::vector<manifest::ParityGroup::File> manifests;
  std::vector<manifest::ParityGroup::File> records;
  std::vector<manifest::ParityGroup::File> pending{};  // samples that wait, and their manifest
};

/// Groups of about the same size, with at most 128 files: groups of shards, groups of the manifests of the
/// same shards, one group of the records, and one of the samples that wait.
std::vector<manifest::ParityGroup> parity_groups(const ProtectedFiles& files, std::uint32_t parity);

/// The name of a parity file of the samples that wait.
std::string pending_parity_name(std::uint32_t file);
/// The names of all parity files of a dataset, apart from those of the samples that wait.
std::vector<std::string> parity_file_names(std::uint64_t shards, std::uint32_t parity);

/// The paths of the pieces of a group, by number: first its files, then its parity files.
using PiecePlaces = std::map<std::uint32_t, std::string>;

/// Computes the `wanted` pieces of a group from whole ones. There must be as many whole ones as the group has
/// files. Writes each into `folder` under its name, synced, and returns their checksums. The number of
/// threads does not change the bytes. Throws Error when a piece does not have the size that it should have.
std::vector<manifest::Checksum> compute_pieces(const manifest::ParityGroup& group, const PiecePlaces& whole,
                                               const std::vector<std::uint32_t>& wanted,
                                               const std::string& folder, pipeline::Workers& workers,
                                               base::Reporter& reporter);

/// What the parity files of a dataset are made of.
struct ParitySource {
  std::vector<std::string> shards;            // their names in the dataset
  std::vector<std::string> manifests;         // the same
  std::vector<std::string> pending{};         // of the samples that wait
  std::map<std::string, std::string> places;  // by name: where each file is now
  std::vector<manifest::Checksum> checksums;  // of all of them
};

/// Makes all parity files of a dataset in the folder `ready`, and returns their checksums.
std::vector<manifest::Checksum> write_all_parity(const ParitySource& source, std::uint32_t parity,
                                                 const std::string& ready, pipeline::Workers& workers,
                                                 base::Reporter& reporter);

/// Makes all parity files of a group, whose files are where `places` says by name.
std::vector<manifest::Checksum> write_parity(const manifest::ParityGroup& group,
                                             const std::map<std::string, std::string>& places,
                                             const std::string& folder, pipeline::Workers& workers,
                                             base::Reporter& reporter);

}  // namespace shardmill::dataset
