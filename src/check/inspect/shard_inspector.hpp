// ShardInspector: lists the contents and the problems of one shard; and keys that are repeated, within one
// shard and between all shards of a run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audio/probe.hpp"
#include "base/reporter.hpp"
#include "check/inspect/issue.hpp"
#include "codec/codec.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/source_item.hpp"
#include "shard/keys.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::check {

/// The keys of one shard. One thread at a time.
class ShardKeys {
 public:
  enum class Repeat {
    none,
    apart,  // more members of a sample whose other members came earlier
    again,  // another sample with the same key
  };

  Repeat add(const Sample& sample);
  /// All keys, each once and followed by a zero byte. Empties the object.
  std::string take_keys() { return std::move(keys_); }

 private:
  shard::KeySet seen_keys_;
  shard::KeySet seen_members_;
  std::string keys_;
};

/// Finds keys that are in more than one shard. The result is exact, and does not depend on the order in which
/// shards are handed in. Memory: 16 to 32 bytes for each key, and the keys of shards that wait for an earlier
/// one.
class KeyLedger {
 public:
  /// Called for each key that an earlier shard also had, in the order of the shards.
  using OnDuplicate = std::function<void(std::size_t shard, std::string_view key)>;

  KeyLedger(std::size_t shards, OnDuplicate on_duplicate)
      : waiting_(shards), on_duplicate_(std::move(on_duplicate)) {}

  /// Call this once for each shard. Thread-safe.
  void hand_in(std::size_t shard, std::string keys);

 private:
  void settle(std::size_t shard, std::string_view keys);

  std::mutex mutex_;
  std::vector<std::optional<std::string>> waiting_;
  std::size_t next_ = 0;  // the first shard that has not been handed in
  shard::KeySet seen_;
  OnDuplicate on_duplicate_;
};

/// What a shard or a dataset contains.
struct Contents {
  struct Extension {
    std::uint64_t members = 0;
    std::uint64_t bytes = 0;
  };

  std::uint64_t bytes = 0;      // of the files on disk
  std::uint64_t tar_bytes = 0;  // of the plain tars; an estimate if nothing was decoded
  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;          // samples with a transcript
  std::chrono::nanoseconds duration{};  // of all readable audio
  std::chrono::nanoseconds shortest{std::chrono::nanoseconds::max()};
  std::chrono::nanoseconds longest{};
  std::map<pipeline::AudioForm, pipeline::AudioAmount> forms;
  std::map<std::string, Extension> extensions;
  std::map<std::string, std::uint64_t> subsets;  // of corpora: samples; some belong to several

  void add(const AudioInfo& audio);
  void add(const Contents& other);
  bool has_audio() const { return !forms.empty(); }
};

/// The report on a shard, or on a recording of a raw corpus, or on the archive of one.
struct ShardReport {
  std::string path;
  std::string corpus{};     // that it is a part of, as its publisher packs it: "librispeech"
  bool is_archive = false;  // that corpora come in, and no shard
  bool is_parquet = false;  // a table whose rows hold the samples, and no tar
  codec::Codec codec = codec::Codec::none;
  Contents contents;
  IssueList issues;
};

/// Takes the items of one shard or recording in their order. One thread at a time.
class ShardInspector {
 public:
  ShardInspector(ShardReport& report, base::Progress& progress, bool is_tar)
      : report_(report), progress_(progress), is_tar_(is_tar) {}

  void take(pipeline::SourceItem&& item);
  /// All keys, each once and followed by a zero byte. Nothing may be added afterwards.
  std::string take_keys() { return keys_.take_keys(); }

 private:
  /// A place where a loader stops reading the shard.
  struct Stop {
    IssueKind kind;
    std::uint64_t offset = 0;
    bool drops_open_sample = false;  // also loses the sample before it
  };

  void take(const shard::GroupedSample& sample);
  void take(const ShardFinding& finding);
  void take(const pipeline::Damage& damage);
  void take(const manifest::Reject& lost);

  void check_repeat(const shard::GroupedSample& sample);
  void check_name(const std::string& name, char type, std::uint64_t tar_offset);
  void check_transcript(const shard::GroupedSample& sample);
  void check_audio(const shard::GroupedSample& sample);
  void report_no_audio(const shard::GroupedSample& sample);
  bool has_length(const shard::GroupedSample& sample, AudioInfo& info);
  void take_audio(const Member& member, const audio::ProbeResult& probed);
  void count_lost(const shard::GroupedSample& sample);
  void stop(const Stop& stop);
  /// The place of something in the tar; recordings have none.
  std::optional<std::uint64_t> place(std::uint64_t offset) const {
    return is_tar_ ? std::optional(offset) : std::nullopt;
  }
  void add(const IssueKind& kind, const shard::GroupedSample& sample, std::string text = {});

  ShardReport& report_;
  base::Progress& progress_;
  bool is_tar_;
  ShardKeys keys_;
  std::vector<Stop> stops_;
  bool searching_ = false;  // for a header, after damage that was reported
};

}  // namespace shardmill::check
