#include "commands/update.hpp"

#include "base/error.hpp"
#include "repack/split_change.hpp"
#include "update/split_update.hpp"
#include "update/update.hpp"

namespace shardmill::commands {

UpdateSummaries run_update(const update::UpdateOptions& given, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  update::UpdateOptions options = given;
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  const bool asks_something = !options.sources.empty() || options.removes() || options.rewrite_limit ||
                              options.mix != update::Wishes::Mix::may_differ;
  if (!asks_something)
    throw UsageError(
        "nothing to do: give --add, --remove-keys, --remove-speakers, --remove-datasets or --remix", {},
        "see shardmill update --help");
  if (repack::SplitChange::is_split(options.folder)) return update::update_split(options, workers, reporter);
  return {{"", update::update_dataset(options, workers, reporter)}};
}

}  // namespace shardmill::commands
