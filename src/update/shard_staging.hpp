// shard_staging: fills new shards while their sources are read, so that most samples are written only once.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/mill.hpp"
#include "update/staging.hpp"

namespace shardmill::update {

/// How many shards the sources fill, and how much of each dataset may go to them before all is read.
struct Allotment {
  std::uint32_t shards = 0;
  deal::Allowances allowances;
};

/// An estimate; nullopt where it is better to read everything first.
std::optional<Allotment> allot(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                               const NewShards& wanted, base::Reporter& reporter);

/// `how` is for one part, with the shards of an allotment. Goes on with what an earlier run did. nullopt when
/// the shards could not be made as they are wanted.
std::optional<Staged> stage_shards(const pipeline::MillPlan& how, const NewShards& wanted,
                                   const codec::EncoderOptions& format, pipeline::Workers& workers,
                                   base::Reporter& reporter);

}  // namespace shardmill::update
