// Against: holds a dataset against the sources it was made of: each sample exactly once, nothing else.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "shardmill/base/reporter.hpp"
#include "shardmill/commands/dataset_files.hpp"
#include "shardmill/commands/dataset_records.hpp"
#include "shardmill/commands/finding.hpp"
#include "shardmill/commands/member_check.hpp"
#include "shardmill/commands/sample_account.hpp"
#include "shardmill/commands/verify.hpp"
#include "shardmill/pipeline/source_parser.hpp"
#include "shardmill/pipeline/workers.hpp"
#include "shardmill/source/source_set.hpp"

namespace shardmill::commands {

class Against {
 public:
  /// Throws UsageError for sources that make no sense, and Error when the records do not tell how the dataset
  /// was made.
  Against(const VerifyOptions& options, const DatasetRecords& records, FindingList& findings);

  /// Of all source files.
  std::uint64_t bytes() const;

  /// `shard` is its number among the dataset's files. Any thread.
  void add_output(std::uint32_t shard, const FoundSample& sample);
  void read_sources(pipeline::Workers& workers, base::Reporter& reporter);
  /// When all is added.
  void settle(const DatasetFiles& files);

  std::uint64_t source_samples() const noexcept { return account_.source_samples(); }

 private:
  struct File {
    std::string dataset;
    const source::SourceFile* file = nullptr;
    double weight = 1;
  };

  void read_options();
  void collect_files();
  void add_source(std::uint32_t number, pipeline::SourceItem&& item);
  void read_bad_audio();
  template <typename Take>
  void for_each_reject(Take take) const;

  const DatasetRecords& records_;
  FindingList& findings_;
  source::SourceSet sources_;
  std::vector<File> files_;
  pipeline::IntakeOptions
      intake_;  // audio as it is: what was encoded anew is known by the hash of its source
  pipeline::IntakeOptions changing_;  // for what could not be encoded anew, to see that this is so
  std::set<std::string> bad_audio_;   // keys of such rejects
  std::uint64_t seed_ = 0;
  SampleAccount account_;
};

}  // namespace shardmill::commands
