#include "dataset/finished_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"
#include "codec/codec.hpp"
#include "dataset/parity.hpp"
#include "dataset/recipe.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::size_t kMostShown = 5;

/// Looks for one file after another, and collects their problems.
class Roll {
 public:
  explicit Roll(const std::string& folder) : folder_(folder) {}

  /// Checks that the file exists and has this size; any size if none is recorded.
  void call(const std::string& name, std::optional<std::uint64_t> bytes = {}) {
    if (!called_.insert(name).second) return;
    const auto found = base::size_of_file(folder_ + "/" + name);
    if (!found) {
      add(name + " is missing");
    } else if (bytes && *found != *bytes) {
      add(fmt::format("{} has {} of {} bytes", name, *found, *bytes));
    }
  }

  /// Calls `read` for the record `name`. A record that cannot be read counts as missing; one on a server that
  /// does not give it does not.
  template <typename Read>
  void read_record(std::string_view name, Read read) {
    const std::string path = folder_ + "/" + std::string(name);
    if (base::is_remote(folder_) && base::exists(path)) base::read_text(path);
    try {
      read(path);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      if (called_.insert(std::string(name)).second) add(fmt::format("{}: {}", name, error.problem()));
    }
  }

  /// No record has the sizes of manifests, but together they have the size of the file of all samples.
  void compare_manifests(const std::vector<std::string>& manifests) {
    const auto all = base::size_of_file(folder_ + "/" + std::string(manifest::kAllSamples));
    std::uint64_t sum = 0;
    for (const std::string& name : manifests) sum += base::size_of_file(folder_ + "/" + name).value_or(0);
    if (all && wrong_ == 0 && *all != sum)
      add(fmt::format("the manifests have {} bytes together, {} has {}", sum, manifest::kAllSamples, *all));
  }

  void throw_if_any() const {
    if (wrong_ == 0) return;
    std::string text;
    for (const std::string& each : shown_) text += (text.empty() ? "" : ", ") + each;
    if (wrong_ > shown_.size()) text += fmt::format(" and {} more", wrong_ - shown_.size());
    throw Error(fmt::format("the dataset was finished, but {} of its files are not as recorded: {}",
                            base::format_count(wrong_), text),
                at(folder_),
                base::is_remote(folder_) ? ""
                                         : fmt::format("'shardmill repair {}' makes them again where it can",
                                                       base::shell_quoted(folder_)),
                Remedy::make_again);
  }

 private:
  void add(std::string problem) {
    if (++wrong_ <= kMostShown) shown_.push_back(std::move(problem));
  }

  std::string folder_;
  std::set<std::string> called_;
  std::vector<std::string> shown_;
  std::uint64_t wrong_ = 0;
};

}  // namespace

void check_files_are_there(const std::string& folder) {
  Roll roll(folder);
  std::vector<std::string> manifests;
  roll.read_record(manifest::kShardRecords, [&](const std::string& path) {
    manifest::RecordReader reader(path);
    for (manifest::ShardRecord shard; reader.next(shard);) {
      roll.call(shard.path, shard.bytes);
      manifests.push_back(manifest::manifest_path(shard.shard_id));
      roll.call(manifests.back());
    }
  });
  roll.read_record(manifest::kChecksums, [&](const std::string& path) {
    for (const manifest::Checksum& checksum : manifest::read_checksums(path)) roll.call(checksum.path);
  });
  for (const std::string_view record : {manifest::kShardList, manifest::kAllSamples, manifest::kRejects,
                                        manifest::kRun, manifest::kDataset}) {
    roll.call(std::string(record));
  }
  roll.compare_manifests(manifests);
  roll.throw_if_any();
}

namespace {

/// More shards than that are a damaged number.
constexpr std::uint64_t kMostShardsToName = 1'000'000;

std::vector<std::string> index_files(const manifest::DatasetRecord& dataset, const Forms& forms,
                                     const std::vector<std::string>& shards) {
  std::vector<std::string> parts;
  for (const manifest::DatasetRecord::Part& part : dataset.datasets) {
    if (part.samples != 0) parts.push_back(part.dataset);
  }
  std::vector<std::string> names = form_file_names(forms, shards, parts);
  std::erase_if(names, may_be_left_out);
  return names;
}

}  // namespace

std::vector<std::string> asked_index_files(const manifest::DatasetRecord& dataset,
                                           const std::vector<std::string>& shards) {
  const auto asked = known_fields(dataset.options, {"index"});
  if (!asked) return {};
  return index_files(dataset, asked->indexes, shards);
}

std::vector<std::string> required_pending_files(const manifest::DatasetRecord& dataset) {
  if (!dataset.pending) return {};
  return {std::string(manifest::kPendingTar), std::string(manifest::kPendingManifest)};
}

std::vector<std::string> required_files(const manifest::DatasetRecord& dataset, const Forms& added) {
  std::vector<std::string> names = required_pending_files(dataset);
  if (dataset.shards > kMostShardsToName) return names;
  for (std::string& name : parity_file_names(dataset.shards, dataset.parity))
    names.push_back(std::move(name));
  const auto naming = known_fields(dataset.options, {"codec", "prefix"});
  if (!naming) return names;
  std::vector<std::string> shards;
  for (std::uint64_t i = 0; i < dataset.shards; ++i) {
    shards.push_back(manifest::shard_path(naming->prefix, i, codec::suffix(naming->codec)));
    names.push_back(manifest::manifest_path(i));
  }
  for (auto indexes : {asked_index_files(dataset, shards), index_files(dataset, added, shards)}) {
    for (std::string& name : indexes) {
      if (!depends_on_place(name)) names.push_back(std::move(name));
    }
  }
  names.insert(names.end(), shards.begin(), shards.end());
  return names;
}

}  // namespace shardmill::dataset
