// SampleGrouper: puts the members of a tar together into samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/tar_parser.hpp"
#include "manifest/sample_record.hpp"
#include "model/sample.hpp"
#include "model/shard_finding.hpp"
#include "shard/key_rule.hpp"

namespace shardmill::shard {

struct GroupedSample {
  Sample sample;
  std::string damage;              // what was lost of it, one clause; empty when it is whole
  std::uint64_t begin_offset = 0;  // of the first header of its first member
  std::string facts;               // what a corpus says of it: members of a manifest line, as JSON
  std::shared_ptr<const manifest::SampleRecord> listed;  // in a finished dataset: its line in the manifest

  // Where a new parser and a new grouper (with `shape`) can begin to read the samples behind this one, with
  // the same result. None when what follows stands beside damage.
  std::optional<std::uint64_t> resume_offset;
  std::string shape;  // the extensions of the last whole sample up to here
};

/// Called in the order of the tar.
class SampleSink {
 public:
  SampleSink() = default;
  SampleSink(const SampleSink&) = delete;
  SampleSink& operator=(const SampleSink&) = delete;
  virtual ~SampleSink() = default;

  virtual void on_sample(GroupedSample&& sample) = 0;
  /// All findings of the parser, and those of the grouper: no_key, duplicate_member.
  virtual void on_finding(ShardFinding&& finding) = 0;
};

/// Stands behind a TarParser. Adjacent members of one key are a sample, which is handed out when the next key
/// comes or at finish(). A second member of the same extension begins a new sample of the same key. One
/// thread.
///
/// Where bytes are lost it is not always known whether the samples beside the hole are whole: a member may
/// have been in it. Such a sample counts as whole when it has the same extensions as the last sample that was
/// whole (when there was none yet: a transcript and audio).
class SampleGrouper final : public archive::TarSink {
 public:
  /// `shape`: empty at the start of a tar, or of the sample behind which an earlier run stopped.
  explicit SampleGrouper(SampleSink& sink, KeyRule rule, std::string shape = {});

  void on_member(archive::TarMember&& member) override;
  void on_finding(ShardFinding&& finding) override;
  /// Call after the parser's finish(), with the parser's offset().
  void finish(std::uint64_t end_offset);

  /// Of the first header of the unfinished sample: reading can begin here again with the same result. nullopt
  /// when there is none, or when it stands beside damage.
  std::optional<std::uint64_t> boundary() const;
  /// For the grouper that begins at boundary().
  const std::string& shape() const noexcept { return shape_; }

 private:
  void open(const std::string& key, std::uint64_t offset);
  void lose(const ShardFinding& finding);
  void lose_member(const std::string& key, const ShardFinding& finding);
  void emit(std::uint64_t end_offset);
  bool looks_whole(const Sample& sample) const;

  SampleSink& sink_;
  KeyRule rule_;
  std::string shape_;
  std::optional<GroupedSample> open_;
  bool open_beside_hole_ = false;
  bool next_beside_hole_ = false;  // bytes were lost since the last member
  std::string lost_key_;           // of a member that was lost since the last one
  std::string lost_text_;
};

}  // namespace shardmill::shard
