#include "commands/update.hpp"

#include "base/error.hpp"
#include "update/update.hpp"

namespace shardmill::commands {

update::UpdateSummary run_update(const update::UpdateOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  const bool asks_something =
      !options.sources.empty() || !options.remove_keys.empty() || options.rest != update::Rest::waits;
  if (!asks_something)
    throw UsageError("nothing to do: give --add, --remove-keys, --spread-rest or --remix", {},
                     "see shardmill update --help");
  return update::update_dataset(options, workers, reporter);
}

}  // namespace shardmill::commands
