// MillPlan: everything that a mill is asked for, in one place for all of its stages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deal/dealer.hpp"
#include "deal/even.hpp"
#include "deal/split.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/known_samples.hpp"
#include "shard/keys.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// A run over some of the input for some of the shards. Other parts have the rest.
struct MillPart {
  std::uint32_t first_shard = 0;
  deal::Allowances allowances;  // of each dataset, or none
};

/// Admission, placing and the mill refer to it: it must outlive them.
struct MillPlan {
  Inputs inputs;
  IntakeOptions intake;
  std::uint32_t interleave = 1;  // files of a stream that are open at a time
  std::uint64_t seed = 0;
  deal::Even even = deal::Even::off;  // not for a part
  std::uint32_t shards = 1;
  std::optional<MillPart> part{};          // `shards` are its own
  bool hash_tars = true;                   // a SHA-256 of each tar: where the tar itself is the result
  std::optional<deal::SplitWish> split{};  // none: there is one dataset
  bool is_split = false;                   // it only gets samples that another mill has kept, and counts them
  std::string work_folder;
  std::string fingerprint;  // says all that the result depends on; a run does not go on from a journal with
                            // another one
  std::shared_ptr<const KeyClaims>
      claims{};  // for keys that several sources have, where the source given first wins; null: none
  std::shared_ptr<const shard::KeySet> taken{};     // keys that no sample can have any more; null: none
  std::shared_ptr<const shard::KeySet> withheld{};  // names of samples that stay out, see known_samples.hpp
  std::shared_ptr<SoundSet> heard{};                // sounds that no sample can have any more; null: none
  std::vector<source::Unusable> unusable{};         // what cannot be read: recorded as left out
  std::vector<source::Promise> promises{};          // what archives should hold; not for a part
  CheckpointInterval checkpoints{};
};

}  // namespace shardmill::pipeline
