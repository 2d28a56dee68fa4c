#include "deal/plan_for.hpp"

namespace shardmill::deal {

std::uint64_t PlanFor::steps(std::uint64_t samples) const {
  const std::uint64_t of_worker = samples / multiple_of();
  return workers * ((of_worker + batch_samples - 1) / batch_samples);
}

}  // namespace shardmill::deal
