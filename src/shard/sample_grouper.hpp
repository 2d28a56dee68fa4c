// SampleGrouper: combines the members of a tar into samples.
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
#include "shard/stored_members.hpp"

namespace shardmill::shard {

struct GroupedSample {
  Sample sample;
  std::shared_ptr<const StoredMembers> stored{};  // has the bytes of some members; none: `sample` has all
  std::string damage;  // one clause that says what was lost of it; empty when it is whole
  /// When that is a member that was not taken, why.
  std::optional<ShardProblem> refused{};
  bool is_refusal_told = false;    // the finding came before the sample, so it counts for the sample
  std::uint64_t begin_offset = 0;  // of the first header of its first member
  std::string facts;               // what a corpus says about it: members of a manifest line, as JSON
  /// Its line in the manifest, when it comes from a finished dataset.
  std::shared_ptr<const manifest::SampleRecord> listed;

  // Where a new parser and a new grouper (with `shape`) can begin to read the samples after this one, with
  // the same result. None when damage is next to what follows.
  std::optional<std::uint64_t> resume_offset;
  std::string shape;  // the extensions of the last whole sample so far

  /// The size of one of its members, also while it is stored.
  std::uint64_t bytes_of(const Member& member) const {
    return member.bytes.empty() && stored ? stored->bytes_of(member) : member.bytes.size();
  }
  /// Brings the bytes of all members into memory. Throws FatalError as StoredMembers does.
  void load();
};

/// True for a finding about a member that is whole, and is not taken all the same.
bool is_refusal(ShardProblem problem);

/// `damage` of the sample whose member the finding is about.
std::string lost_member_text(const ShardFinding& finding);

/// A sample of which a large member is being read.
struct ComingSample {
  std::string key;
  std::uint64_t bytes = 0;       // of its members, this one included
  std::uint64_t text_bytes = 0;  // of these, those of its transcript
};

/// Called in the order of the tar.
class SampleSink {
 public:
  SampleSink() = default;
  SampleSink(const SampleSink&) = delete;
  SampleSink& operator=(const SampleSink&) = delete;
  virtual ~SampleSink() = default;

  virtual void on_sample(GroupedSample&& sample) = 0;
  /// All findings of the parser, and the grouper's own: no_key, duplicate_member.
  virtual void on_finding(ShardFinding&& finding) = 0;
};

/// Receives the members from a TarParser. Adjacent members with one key are a sample, which is passed on when
/// the next key comes or at finish(). A second member with the same extension begins a new sample with the
/// same key. One thread at a time.
///
/// When bytes were lost, it may be unknown whether the samples next to the hole are whole, because one of
/// their members may have been in it. Such a sample counts as whole when it has the same extensions as the
/// last whole sample (or, before the first one, a transcript and audio).
class SampleGrouper final : public archive::TarSink {
 public:
  /// `shape` is empty at the start of a tar; otherwise it is the shape of the sample after which an earlier
  /// run stopped.
  explicit SampleGrouper(SampleSink& sink, KeyRule rule, std::string shape = {}, MemberStorage storage = {});

  void on_member(archive::TarMember&& member) override;
  void on_finding(ShardFinding&& finding) override;
  bool takes_parts(const archive::TarMember& member, std::uint64_t size) override;
  void on_part(std::span<const std::byte> bytes) override;
  void on_parts_end(bool is_whole) override;
  /// Call after the parser's finish(), with the parser's offset().
  void finish(std::uint64_t end_offset);

  /// The first header of the unfinished sample: reading can begin there again with the same result. nullopt
  /// when there is none, or when damage is next to it.
  std::optional<std::uint64_t> boundary() const;
  /// The shape for a grouper that begins at boundary().
  const std::string& shape() const noexcept { return shape_; }
  /// The sample of the member that is being stored; none when none is.
  std::optional<ComingSample> coming() const;

  /// True when the sample that is being read will say what this finding, the last one, says.
  bool tells(const ShardFinding& finding) const;

 private:
  /// A member that comes in parts.
  struct Coming {
    archive::TarMember member;
    std::uint64_t bytes = 0;
    std::shared_ptr<StoredMembers> stored{};  // none: it belongs to no sample, and its bytes are dropped
  };

  void take(archive::TarMember&& member, std::uint64_t bytes, std::shared_ptr<StoredMembers> stored);
  bool continues(const KeyAndExtension& name) const;
  void open(const std::string& key, std::uint64_t offset);
  void lose(const ShardFinding& finding);
  void lose_member(const std::string& key, const ShardFinding& finding);
  void emit(std::uint64_t end_offset);
  bool looks_whole(const Sample& sample) const;

  SampleSink& sink_;
  KeyRule rule_;
  std::string shape_;
  MemberStorage storage_;
  std::optional<GroupedSample> open_;
  std::uint64_t open_bytes_ = 0;           // of its members
  std::uint64_t in_memory_bytes_ = 0;      // of these, those that are not stored
  std::shared_ptr<StoredMembers> stored_;  // its own; none where nothing is stored
  std::optional<Coming> coming_;
  bool open_beside_hole_ = false;
  bool next_beside_hole_ = false;  // bytes were lost since the last member
  std::string lost_key_;           // key of a member that was lost since the last one
  std::string lost_text_;
  std::optional<ShardProblem> lost_refused_{};
};

}  // namespace shardmill::shard
