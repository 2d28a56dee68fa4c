// verify_dataset: compares all files of a finished dataset with each other.
// sound_dataset: the shards of a finished dataset, for commands that trust its records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/verification.hpp"
#include "codec/codec.hpp"
#include "dataset/records.hpp"
#include "manifest/sample_record.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Fills all of `summary` except its findings.
void verify_dataset(const std::string& folder, const VerifyOptions& options, pipeline::Workers& workers,
                    base::Reporter& reporter, FindingList& findings, VerifySummary& summary);

/// The same for several, which were made of the same sources together: every sample of these must be in
/// exactly one of them.
void verify_datasets(const std::vector<std::string>& folders, const VerifyOptions& options,
                     pipeline::Workers& workers, base::Reporter& reporter, FindingList& findings,
                     VerifySummary& summary);

/// A page that was changed is a finding. A page of an earlier version has no checksum, which is a note. No
/// page is fine.
void check_report(const dataset::DatasetRecords& records, FindingList& findings);

/// Files in the folders of the dataset that none of its records names, and what verify says of each, by their
/// names.
std::map<std::string, std::string> find_strays(const dataset::DatasetRecords& records);

struct SoundShard {
  std::string path;  // to open it
  codec::Codec codec = codec::Codec::none;
  manifest::ShardRecord record;
};

struct SoundDataset {
  dataset::DatasetRecords records;
  std::vector<SoundShard> shards;  // in the order of shards.jsonl
};

/// Reads no shard. Throws Error when the dataset is unfinished, or when its records do not agree with each
/// other, with their checksums or with the sizes of the shards.
SoundDataset sound_dataset(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::check
