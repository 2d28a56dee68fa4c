#include "commands/index.hpp"

#include <string>

#include "base/error.hpp"
#include "check/verification.hpp"
#include "index/write.hpp"

namespace shardmill::commands {

index::IndexSummary run_index(const index::IndexOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter) {
  if (options.targets.size() != 1 || !check::is_dataset_folder(options.targets.front())) {
    if (!options.list_root.empty())
      throw UsageError("--list-root is for a dataset that shardmill made", at(options.targets.front()));
    return index::index_shards(options, workers, reporter);
  }
  std::string folder = options.targets.front();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return options.list_root.empty() ? index::index_dataset(folder, options, workers, reporter)
                                   : index::relist_dataset(folder, options, workers, reporter);
}

}  // namespace shardmill::commands
