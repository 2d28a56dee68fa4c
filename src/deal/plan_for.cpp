#include "deal/plan_for.hpp"

namespace shardmill::deal {

std::uint64_t PlanFor::steps(std::uint64_t samples) const {
  return workers * ((samples_of_worker(samples) + batch_samples - 1) / batch_samples);
}

}  // namespace shardmill::deal
