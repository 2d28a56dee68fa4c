// inspect_sources: what sources contain, and what will go wrong with them in training. quick_look: the same
// of shards without decoding them, and of shards that are sound but have a form that some loader cannot
// read.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "check/inspect/issue.hpp"
#include "check/inspect/shard_inspector.hpp"
#include "codec/codec.hpp"
#include "codec/speed.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::check {

struct InspectOptions {
  std::vector<std::string> sources;
  shard::KeyRule key_rule = shard::KeyRule::wenet;
  bool allow_commands = false;                // run commands that a corpus names in place of audio files
  bool fast = false;                          // tell only what can be told without decoding
  bool corpora = true;                        // false: accept only shards
  std::vector<pipeline::TableFile> labels{};  // whose rows are the samples
  source::TreeOptions tree{};                 // how corpora are read
};

/// How even a quantity is among the shards of a dataset.
struct Evenness {
  double min = 0;
  double mean = 0;
  double max = 0;

  explicit Evenness(const std::vector<double>& values);
  double spread() const { return max - min; }
  double spread_of_mean() const { return mean > 0 ? spread() / mean : 0; }
};

struct DatasetReport {
  std::string name;
  std::vector<ShardReport> shards;      // in the order in which repack would read them
  std::vector<ShardReport> recordings;  // of raw corpora, in the same order
  Contents contents;
  IssueList issues;
  std::map<codec::Codec, codec::ReferenceSpeed> speeds;  // for each codec that was measured
  std::uint64_t without_audio = 0;                       // transcripts whose audio is not there

  /// Corpora that are read as their publishers pack them: "librispeech"; each once.
  std::set<std::string> corpora() const;
  /// Seconds of audio, one value for each shard.
  std::vector<double> shard_seconds() const;
  /// Sizes of the files, one value for each shard.
  std::vector<double> shard_bytes() const;
};

struct InspectSummary {
  bool fast = false;
  std::vector<DatasetReport> datasets;
  std::vector<Error> unusable;  // files that are listed or were found, but cannot be read
  double seconds = 0;

  bool damaged() const;
};

/// Reads all sources, several files at a time. A bad file becomes part of the result, and the rest is still
/// inspected. Throws UsageError, and Error for a source that does not exist.
InspectSummary inspect_sources(const InspectOptions& options, pipeline::Workers& workers,
                               base::Reporter& reporter);

/// Reports a name that NeMo's Lhotse reader does not accept as the name of a shard.
void check_shard_name(ShardReport& shard);
/// Reports transcripts that are members among the audio. Call it after the shard has been read.
void check_text_members(ShardReport& shard);
/// Reports shards that contain both WAV and FLAC. Call it after the contents of all shards have been added
/// up.
void check_containers(DatasetReport& dataset);

/// Fills in codecs, estimated plain sizes and, where the format shows it, which files were cut short.
/// `shards` must have path and contents.bytes. Looks at several files at a time.
void look_at(DatasetReport& dataset, pipeline::Workers& workers, base::Reporter& reporter);

/// Reports which common loaders cannot open the shard at all, because of its codec.
void check_codec(ShardReport& shard);

}  // namespace shardmill::check
