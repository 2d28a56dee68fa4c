// PartState: what one part of a run has done, as others see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/mill_state.hpp"
#include "pipeline/pack_shards.hpp"

namespace shardmill::pipeline {

struct PartState {
  std::string fingerprint;
  MillState mill;
  AdmissionState admission;
};

/// By the journal in its work folder; nullopt when there is none.
std::optional<PartState> read_part_state(const std::string& work_folder);

/// Throws Error when the keys or rejects that a part has logged are not those that it wrote.
void check_logs(const std::string& work_folder, const PartState& state);

/// Which shard, of all, each sample that the parts held back goes to: by part, in the order of its journal.
using HeldShards = std::vector<std::vector<std::uint32_t>>;

/// Deals over the shards of all parts, which stand in order.
HeldShards deal_held(const std::vector<PartState>& parts);
/// Whether all shards then have the same number of samples, or one more, of each dataset and in all, and the
/// same audio time.
bool is_even(const std::vector<PartState>& parts, const HeldShards& shards);
/// How many samples of each shard the parts have to give back; durable when it returns.
void write_given_back(const std::string& path, const std::string& fingerprint, std::uint64_t samples);
/// 0 when there is no such file.
std::uint64_t read_given_back(const std::string& path, const std::string& fingerprint);
/// Durable when it returns.
void write_held_shards(const std::string& path, const std::string& fingerprint, const HeldShards& shards);
/// nullopt when they were not dealt yet. Throws Error when the file is damaged, or of another run.
std::optional<HeldShards> read_held_shards(const std::string& path, const std::string& fingerprint);

/// The shards of a part when they are whole, in their order.
struct CompletePart {
  std::vector<PackedShard> shards;
  std::vector<std::uint64_t> tar_bytes;
  std::vector<std::uint64_t> manifest_checks;  // RunningHash of each manifest
};

/// Durable when it returns.
void write_complete_part(const std::string& work_folder, const std::string& fingerprint,
                         const CompletePart& part);
/// nullopt when it is not complete. Throws Error when the file is damaged, or of another run.
std::optional<CompletePart> read_complete_part(const std::string& work_folder,
                                               const std::string& fingerprint);

/// A key that came in two parts.
struct SharedKey {
  base::Xxh128 hash;
  std::size_t part = 0;  // the later of them
};

/// The first key of a part that an earlier part has too; nullopt when all are different. Memory: about 22
/// bytes a key.
std::optional<SharedKey> find_shared_key(const std::vector<std::string>& work_folders);

/// The key with that hash among the samples of a part, however long it takes to find it.
std::optional<std::string> key_of_hash(const std::string& work_folder, const base::Xxh128& hash);

}  // namespace shardmill::pipeline
