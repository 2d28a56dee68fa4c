#include "repack/parts/promises.hpp"

#include "pipeline/broken_promises.hpp"
#include "repack/folder.hpp"

namespace shardmill::repack {

std::vector<manifest::Reject> broken_promises_of_parts(const std::string& out_folder, const RepackPlan& whole,
                                                       const PartPlan& plan) {
  if (whole.sources.promises.empty()) return {};
  std::vector<std::string> folders;
  for (std::uint32_t part = 0; part < plan.parts; ++part) folders.push_back(part_folder(out_folder, part));
  return pipeline::broken_promises(
      {.promises = whole.sources.promises, .datasets = whole.inputs.datasets, .seed = whole.recipe.seed},
      whole.recipe.intake.keys, folders);
}

}  // namespace shardmill::repack
