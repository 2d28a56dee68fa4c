// PartState: what one part of a run has done, as the other parts see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deal/even.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/pack_shards.hpp"

namespace shardmill::pipeline {

struct PartState {
  std::string fingerprint;
  MillState mill;
  AdmissionState admission;
};

/// Reads it from the journal in the part's work folder; nullopt without a journal.
std::optional<PartState> read_part_state(const std::string& work_folder);

/// Throws Error when the logs of keys or rejects of a part have changed since it wrote them.
void check_logs(const std::string& work_folder, const PartState& state);

/// The shard of each sample that the parts held back, by part, in the order of its journal. Shards are
/// numbered over all parts.
using HeldShards = std::vector<std::vector<std::uint32_t>>;

/// Deals the held samples over the shards of all parts. `parts` must be in order.
deal::RestDeal deal_held(const std::vector<PartState>& parts);
HeldShards by_part(const std::vector<PartState>& parts, const deal::RestDeal& dealt);
/// Records how many samples of each shard the parts must give back. Durable on return.
void write_given_back(const std::string& path, const std::string& fingerprint, std::uint64_t samples);
/// 0 when there is no such file.
std::uint64_t read_given_back(const std::string& path, const std::string& fingerprint);
/// Durable on return.
void write_held_shards(const std::string& path, const std::string& fingerprint, const HeldShards& shards);
/// nullopt when they have not been dealt yet. Throws Error when the file is damaged or belongs to another
/// run.
std::optional<HeldShards> read_held_shards(const std::string& path, const std::string& fingerprint);

/// The finished shards of a part, in their order.
struct CompletePart {
  std::vector<PackedShard> shards;
  std::vector<std::uint64_t> tar_bytes;
  std::vector<std::uint64_t> manifest_checks;  // RunningHash of each manifest
};

/// Durable on return.
void write_complete_part(const std::string& work_folder, const std::string& fingerprint,
                         const CompletePart& part);
/// nullopt when the part is not complete. Throws Error when the file is damaged or belongs to another run.
std::optional<CompletePart> read_complete_part(const std::string& work_folder,
                                               const std::string& fingerprint);

/// A key that is in two parts.
struct SharedKey {
  base::Xxh128 hash;
  std::size_t part = 0;  // the later of the two
};

/// The first key of a part that an earlier part has as well; nullopt when no key is shared. Takes about 22
/// bytes of memory for each key.
std::optional<SharedKey> find_shared_key(const std::vector<std::string>& work_folders);

/// The key with this hash among the samples of a part. It may take long to find.
std::optional<std::string> key_of_hash(const std::string& work_folder, const base::Xxh128& hash);

}  // namespace shardmill::pipeline
