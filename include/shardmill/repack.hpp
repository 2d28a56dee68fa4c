// repack: reads shards and corpora, mixes them, and writes balanced shards with manifests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardmill/convert.hpp"
#include "shardmill/observer.hpp"

namespace shardmill {

struct RepackOptions {
  std::vector<std::string> sources;  // each [NAME=]SOURCE, as on the command line
  std::string out_folder;            // new, empty, or a dataset of shardmill's

  std::uint64_t shards = 0;  // 0: as many as hold `samples_per_shard` each
  std::uint64_t samples_per_shard = 1000;
  std::uint64_t multiple_of = 1;  // the number of shards is a multiple of it

  Codec codec = Codec::none;
  std::optional<int> level{};
  std::string prefix = "audio";

  std::uint32_t interleave = 16;            // files of a dataset that are read at a time, 1 to 256
  std::uint64_t seed = 0;                   // shuffles the order of the source files; 0: as given
  std::map<std::string, double> weights{};  // by dataset; 1 where none is given
  bool skip_bad_samples = false;            // leave out and record; otherwise the first one stops the run
  std::uint64_t max_rejects = 0;
  bool allow_missing_text = false;
  bool force = false;  // replace a finished dataset in the same folder
  /// The options of set_option(). They take precedence over the members above.
  std::vector<std::pair<std::string, std::string>> named{};
  Limits limits{};
};

/// Sets an option of the command `shardmill repack` by its name, from text as the command takes it: ("audio",
/// "flac"), ("shard-duration", "1h"). Options without a value there take "yes" or "no". An option that the
/// command takes several times can be set several times. Throws UsageError for a name that is not in
/// option_names(); run_repack() throws it for a value that is not valid.
void set_option(RepackOptions& options, std::string_view name, std::string_view value);
/// The names that set_option() knows.
std::vector<std::string> option_names();

struct RepackSummary {
  bool already_there = false;     // the same dataset was finished before
  bool too_many_rejects = false;  // done, but more was left out than `max_rejects`
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t rejects = 0;
  double seconds = 0;         // of audio
  double spread_seconds = 0;  // from the emptiest to the fullest shard
};

/// Writes the dataset, or continues where an earlier call in the same folder stopped. Throws UsageError for
/// invalid options and folders, and Error for all other problems; call it again to continue.
RepackSummary run_repack(const RepackOptions& options, Observer& observer);

}  // namespace shardmill
