#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "cli/commands/shared_options.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr std::size_t kLargestWorld = 1'000'000;
constexpr std::uint64_t kMostWorkers = 1024;
constexpr std::uint64_t kMostEpochs = 1000;
constexpr std::uint64_t kMostBuckets = 10'000;
constexpr std::uint64_t kUsualBuckets = 30;
constexpr std::uint64_t kLongestBatch = 1'000'000'000;
constexpr std::uint64_t kMostHeld = 10'000'000;

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::size_t> world_sizes(const CommandLine& line) {
  if (!line.has("world-size"))
    throw UsageError("--world-size is missing", {}, "give the number of ranks, or several: 8 or 1,2,4,8");
  std::vector<std::size_t> sizes;
  for (const std::string& part : parts_of(line.text("world-size"))) {
    const auto size = base::number_in<std::uint64_t>(part);
    if (!size || *size == 0 || *size > kLargestWorld) {
      throw UsageError(fmt::format("--world-size '{}' is not a number of ranks", printable(part)), {},
                       "give 1 or more, or several with commas: 1,2,4,8");
    }
    if (std::find(sizes.begin(), sizes.end(), *size) == sizes.end()) sizes.push_back(*size);
  }
  return sizes;
}

std::vector<deal::Loader> loaders(const CommandLine& line) {
  if (!line.has("loader")) return {deal::kAllLoaders.begin(), deal::kAllLoaders.end()};
  std::vector<deal::Loader> loaders;
  for (const std::string& part : parts_of(line.text("loader"))) {
    const auto loader = deal::loader_by_name(part);
    if (!loader) {
      throw UsageError(fmt::format("--loader {} is unknown", printable(part)), {},
                       "give wenet, wenet-old, webdataset, nemo, lhotse or several of them with commas");
    }
    loaders.push_back(*loader);
  }
  return loaders;
}

/// "500:64,1000:32,16".
void read_buckets(const std::string& given, deal::Batching& batching) {
  const std::vector<std::string> parts = parts_of(given);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    const std::size_t colon = parts[i].find(':');
    const bool has_colon = colon != std::string::npos;
    const auto size =
        base::number_in<std::uint64_t>(std::string_view(parts[i]).substr(has_colon ? colon + 1 : 0));
    const auto frames =
        base::number_in<std::uint64_t>(std::string_view(parts[i]).substr(0, has_colon ? colon : 0));
    const bool grows =
        is_last || (frames && (batching.bins.empty() || batching.bins.back() < static_cast<double>(*frames)));
    if (has_colon == is_last || !size || *size == 0 || *size > kLongestBatch || !grows)
      throw UsageError(fmt::format("--batch-buckets {} is not a list of buckets", printable(given)), {},
                       "give increasing FRAMES with a number of samples each, and a last number for longer "
                       "samples: 500:64,1000:32,16");
    batching.sizes.push_back(*size);
    if (!is_last) batching.bins.push_back(static_cast<double>(*frames));
  }
}

/// How loaders make batches; nullopt if the user gave no option for batches.
std::optional<deal::Batching> batching(const CommandLine& line, const std::vector<deal::Loader>& loaders) {
  using By = deal::Batching::By;
  std::optional<deal::Batching> batching;
  std::string option;
  for (const auto& [name, by] :
       {std::pair("batch", By::samples), std::pair("batch-frames", By::frames),
        std::pair("batch-buckets", By::buckets), std::pair("batch-duration", By::duration)}) {
    if (!line.has(name)) continue;
    if (batching)
      throw UsageError(fmt::format("--{} and --{} are different ways to make batches", option, name), {},
                       "give one of them");
    option = name;
    batching = deal::Batching{.by = by};
    if (by == By::buckets) {
      read_buckets(line.text(name), *batching);
      continue;
    }
    batching->most = by == By::duration ? base::parse_duration_seconds(line.text(name))
                                        : static_cast<double>(number_of(line, name, 1, kLongestBatch));
    if (!(batching->most > 0)) throw UsageError(fmt::format("--{} must be more than 0", name));
  }
  for (const char* const buffer : {"shuffle-buffer", "sort-buffer"}) {
    if (line.has(buffer) && !batching)
      throw UsageError(fmt::format("--{} has no effect without batches", buffer), {},
                       "give --batch, --batch-frames, --batch-buckets or --batch-duration, too");
  }
  if (!batching) return batching;
  const auto can = [&](deal::Loader loader) { return can_batch(loader, batching->by); };
  const auto cannot = std::find_if_not(loaders.begin(), loaders.end(), can);
  if (line.has("loader") && cannot != loaders.end())
    throw UsageError(
        fmt::format("--{} does not apply: {} does not make batches that way", option, name(*cannot)), {},
        "--batch is for wenet, wenet-old, webdataset and nemo, --batch-frames for wenet and "
        "wenet-old, --batch-buckets for wenet, --batch-duration for lhotse");
  const bool sorts = std::any_of(loaders.begin(), loaders.end(), [&](deal::Loader loader) {
    return can(loader) && (loader == deal::Loader::wenet || loader == deal::Loader::wenet_old);
  });
  if (line.has("sort-buffer") && !sorts) throw UsageError("--sort-buffer is for wenet and wenet-old");
  if (line.has("shuffle-buffer")) batching->shuffle_buffer = number_of(line, "shuffle-buffer", 0, kMostHeld);
  batching->sort_buffer = line.has("sort-buffer") ? number_of(line, "sort-buffer", 0, kMostHeld) : 500;
  return batching;
}

}  // namespace

void add_training_options(CommandLine& line) {
  line.group("Ranks")  //
      ("world-size,w", po::value<std::string>()->value_name("W[,W...]"),
       "number of training ranks; with several numbers, each is tried")  //
      ("workers,k", po::value<std::string>()->value_name("K")->default_value("1"),
       "loader workers of each rank (DataLoader's num_workers)")  //
      ("loader", po::value<std::string>()->value_name(several_of(deal::kAllLoaders)),
       "one or several loaders (default: all); wenet-old: WeNet 1 and 2; nemo: tarred; lhotse: Shar")  //
      ("epochs", po::value<std::string>()->value_name("E")->default_value("20"),
       "number of shuffled epochs to try; the worst is shown; 0: the list in its order, without shuffling")  //
      ("seed", po::value<std::string>()->value_name("S")->default_value("42"),
       "seed of the first epoch's shuffle; each later epoch adds one, as in Lhotse");
  line.group("Batches")  //
      ("batch", po::value<std::string>()->value_name("N"),
       "batches of N samples: WeNet's static ones, WebDataset's batched(), NeMo's batch_size")  //
      ("batch-frames", po::value<std::string>()->value_name("N"),
       "WeNet's dynamic batches: max_frames_in_batch, such as 12000")  //
      ("batch-buckets", po::value<std::string>()->value_name("FRAMES:N,...,N"),
       "WeNet's batch_type bucket: N samples of fewer than FRAMES, such as 500:64,1000:32,16")  //
      ("batch-duration", po::value<std::string>()->value_name("TIME"),
       "Lhotse's DynamicBucketingSampler: max_duration, such as 600s; --buckets is then 30 by default")  //
      ("shuffle-buffer", po::value<std::string>()->value_name("N"),
       "samples in a loader's shuffle buffer (default: WeNet 1500, WebDataset 1000, Lhotse 20000, NeMo 2048 "
       "shards)")("sort-buffer", po::value<std::string>()->value_name("N"),
                  "samples that WeNet sorts by length at a time; 0: it does not sort (default: 500)");
  line.group("Buckets")  //
      ("buckets", po::value<std::string>()->value_name("N"),
       "print bucket_duration_bins for N buckets of equal audio, for NeMo and Lhotse; 30 is usual");
}

void read_training(const CommandLine& line, ranks::RanksOptions& options) {
  options.world_sizes = world_sizes(line);
  options.workers = number_of(line, "workers", 1, kMostWorkers);
  options.loaders = loaders(line);
  options.epochs = number_of(line, "epochs", 0, kMostEpochs);
  options.fewer_epochs_will_do = !line.was_given("epochs");
  options.seed = number_of(line, "seed", 0, UINT64_MAX);
  options.batching = batching(line, options.loaders);
  if (line.has("buckets")) options.buckets = number_of(line, "buckets", 2, kMostBuckets);
  if (options.buckets == 0 && options.batching && options.batching->by == deal::Batching::By::duration)
    options.buckets = kUsualBuckets;
}

}  // namespace shardmill::cli
