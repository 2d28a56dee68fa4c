// Against: compares shards with the sources that they were made from. Each sample must be there exactly once,
// and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "check/sample_account.hpp"
#include "check/verification.hpp"
#include "dataset/recipe.hpp"
#include "model/finding.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"
#include "source/source_file.hpp"
#include "source/source_set.hpp"

namespace shardmill::check {

class Against {
 public:
  /// Throws UsageError for sources that contradict each other. `recipe` has the weights of all datasets, or
  /// none for shards without records.
  Against(const VerifyOptions& options, dataset::Recipe recipe, FindingList& findings);
  /// The dataset, or one of several that were made of the sources together.
  /// `rejects_path` lists the samples that were left out.
  /// `repeated_keys`: of samples that are there once more than in the sources, by dataset, as `record_path`
  /// says.
  void add_records(const std::string& rejects_path,
                   const std::map<std::string, std::vector<std::string>>& repeated_keys,
                   const std::string& record_path);
  /// The files that were read for the dataset, which some updates may have read again.
  void add_inputs(const std::vector<manifest::RunRecord::Input>& inputs) { history_.add(inputs); }

  /// The size of all source files.
  std::uint64_t bytes() const;
  /// A hash of the paths, sizes and datasets of the sources, as in dataset.json.
  base::Xxh128 digest() const { return sources_.digest(); }

  /// `shard` is its number among all that are checked. Thread-safe.
  void add_output(std::uint32_t shard, const ListedSample& sample);
  void add_output(std::uint32_t shard, const pipeline::Utterance& utterance);
  void read_sources(pipeline::Workers& workers, base::Reporter& reporter);
  /// Call this when everything has been added. `shards` are the files by their numbers.
  void settle(std::vector<std::string> shards);

  std::uint64_t source_samples() const noexcept { return account_.source_samples(); }

 private:
  struct File {
    std::string dataset;
    const source::SourceFile* file = nullptr;
    Reads reads{};
  };

  void collect_files();
  void count_reads();
  /// What one of several tables does not list, another one may, which an update came with.
  bool has_several_labels() const { return recipe_.intake.labels.size() > 1; }
  std::uint64_t copies_of(const std::string& dataset, std::string_view key) const;
  std::uint64_t copies_in(const manifest::Reject& reject) const;
  bool is_any_key_there(std::uint32_t file, std::string_view source_key) const;
  SampleFields fields_of(const pipeline::Utterance& utterance, bool is_listed) const;
  void add_source(std::uint32_t number, pipeline::SourceItem&& item);
  void add_measured(std::uint32_t number, const pipeline::Measured& measured, bool is_listed);
  void read_bad_audio(const std::string& rejects_path);
  template <typename Take>
  static void for_each_reject(const std::string& rejects_path, Take take);

  dataset::Recipe recipe_;
  std::vector<std::string> rejects_paths_;
  std::string record_path_;
  pipeline::IntakeOptions
      unchanging_;  // leaves audio as it is: for converted audio, records have the source's hash
  FindingList& findings_;
  source::SourceSet sources_;
  std::vector<File> files_;
  SourceReads history_;
  source::Promises promises_{sources_.promises};
  std::set<std::string> bad_audio_;  // keys that were rejected because their audio cannot be converted
  bool compares_datasets_ = true;    // the sources have the names with which the dataset was made
  SampleAccount account_;
  std::mutex mutex_;
  shard::KeySet output_keys_;  // only where a file was read again
};

}  // namespace shardmill::check
