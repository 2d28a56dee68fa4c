#include "cli/commands/run_options.hpp"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text/numbers.hpp"
#include "base/text/units.hpp"
#include "repack/losses.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

po::typed_value<std::string>* text_option(const std::string& name) {
  return po::value<std::string>()->value_name(name);
}

pipeline::MemoryBound memory_bound(const CommonOptions& common) {
  return common.is_memory_given ? pipeline::MemoryBound::given : pipeline::MemoryBound::standard;
}

std::uint64_t parse_max_rejects(const std::string& given) {
  if (given == "all") return repack::kAnyNumber;
  const auto number = base::count_in(given);
  if (!number) throw UsageError(fmt::format("--max-rejects {} is not a number", printable(given)));
  return *number;
}

pipeline::CheckpointInterval checkpoints() {
  pipeline::CheckpointInterval interval;
  if (const char* text = std::getenv("SHARDMILL_CHECKPOINT_BYTES")) {
    interval.input_bytes = base::parse_size(text);
    if (interval.input_bytes == 0) throw UsageError("SHARDMILL_CHECKPOINT_BYTES must be at least 1");
  }
  return interval;
}

}  // namespace shardmill::cli
