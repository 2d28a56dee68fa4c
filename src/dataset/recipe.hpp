// Making: how a dataset was made of its sources, as far as that decides what must be in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dataset/records.hpp"
#include "pipeline/intake_options.hpp"

namespace shardmill::dataset {

struct Making {
  /// Audio as it is: what was encoded anew is known by the hash of its source.
  pipeline::IntakeOptions intake{};
  audio::WantedForm form{};  // what it was encoded to
  std::map<std::string, double> weights{};
  std::uint64_t seed = 0;
  std::string rejects_path{};  // empty: nothing was left out
};

/// As the records tell. Throws Error when they cannot be read or do not.
Making making_of(const DatasetRecords& records);

}  // namespace shardmill::dataset
