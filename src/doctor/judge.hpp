// judge: lists the problems of a machine for a planned training, with the reason and the remedy of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/node.hpp"

namespace shardmill::doctor {

struct Remark {
  bool is_finding = true;  // false: worth knowing, and nothing is wrong
  std::string kind{};      // "unlike-gpus": does not change with the words
  std::string what{};
  std::string why{};   // what happens in training
  std::string todo{};  // what to do about it
};

using Remarks = std::vector<Remark>;

/// Findings first, in the order in which they should be fixed.
Remarks judge(const Node& node);

// The parts of judge(), which add to `remarks`.
void judge_gpus(const Node& node, Remarks& remarks);
void judge_torch(const Node& node, Remarks& remarks);
void judge_shared_memory(const Node& node, Remarks& remarks);
void judge_loaders(const Node& node, Remarks& remarks);
void judge_shards(const Node& node, Remarks& remarks);

/// The bytes of /dev/shm for batches when all workers of all ranks have all their batches ready.
std::uint64_t shared_memory_needed(const Job& job);
/// The number of workers that a rank needs; 0 if unknown.
std::uint64_t workers_needed(const Job& job);
/// The line that makes a DataLoader safe on 64-bit ARM.
std::string spawning_loader(const Job& job);

}  // namespace shardmill::doctor
