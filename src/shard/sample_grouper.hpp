// SampleGrouper: combines the members of a tar into samples. StoredMembers keeps large members in a file
// until the sample is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/tar_parser.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "manifest/sample_record.hpp"
#include "model/finding.hpp"
#include "shard/keys.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::shard {

/// The place for members that are too large for memory. By default, all members are in memory.
struct MemberStorage {
  /// The most bytes in memory for the sample that is being read.
  std::uint64_t in_memory_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Larger members are refused, and not stored.
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Returns an empty file with room for `bytes` bytes. Throws FatalError if there is no room.
  std::function<base::File(std::uint64_t bytes)> file{};
};

/// Throws FatalError if the file fails, or no longer has the written bytes. One thread at a time.
class StoredMembers {
 public:
  explicit StoredMembers(base::File&& file) : file_(std::move(file)) {}

  /// Adds the next bytes of the current member.
  void add(std::span<const std::byte> bytes);
  /// Ends the current member, which is from now on known by its place in the tar.
  void end_member(std::uint64_t tar_offset);
  /// Drops the current member.
  void drop_member();

  /// The size of a stored member; 0 for any other.
  std::uint64_t bytes_of(const Member& member) const;
  /// Reads the bytes of all stored members of `sample` into it.
  void load(Sample& sample) const;

 private:
  struct Stored {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;
  };
  void load(const Stored& stored, Bytes& out) const;

  base::File file_;
  std::map<std::uint64_t, Stored> members_;  // by their places in the tar
  Stored coming_;
  base::RunningHash hash_;  // of the bytes of coming_
};

struct GroupedSample {
  Sample sample;
  std::shared_ptr<const StoredMembers> stored{};  // has the bytes of some members; null if `sample` has all
  std::string damage;  // one clause that names the lost part; empty if the sample is whole
  /// Why a member was refused, if that is the damage.
  std::optional<ShardProblem> refused{};
  bool is_refusal_told = false;        // the finding came before the sample, so it counts for the sample
  std::uint64_t begin_offset = 0;      // of the first header of its first member
  std::string facts;                   // facts from its corpus: members of a manifest line, as JSON
  double keeps_to_seconds = 0;         // the sample is only this much of its audio; 0: all of it
  bool is_cut_to_seconds = false;      // it was clearly longer
  std::string_view text_doubt{};       // the name of a warning about its text, or empty
  double published_seconds = 0;        // of all its audio, as its corpus has it; 0: it does not say
  bool has_odd_recording = false;      // its corpus gives its recording clearly another length
  std::size_t published_channels = 0;  // of the same; 0: it does not say
  bool has_odd_channels = false;       // its corpus gives its recording another number of them
  bool is_trimmed = false;             // it was to end after its recording, by so little that it ends with it
  bool is_row = false;                 // of a Parquet file: its KEY.json holds the columns, and is no member
  /// Its line in the manifest, if it comes from a finished dataset.
  std::shared_ptr<const manifest::SampleRecord> listed;

  // The offset from which a new parser and a new grouper (with `shape`) read the samples after this one, with
  // the same result. nullopt if there is damage next to it.
  std::optional<std::uint64_t> resume_offset;
  std::string shape;  // the extensions of the last whole sample so far

  /// The size of one of its members, also while it is stored.
  std::uint64_t bytes_of(const Member& member) const {
    return member.bytes.empty() && stored ? stored->bytes_of(member) : member.bytes.size();
  }
  /// Reads the bytes of all members into memory. Throws FatalError like StoredMembers.
  void load();
};

/// True for a finding about a whole member that is not accepted.
bool is_refusal(ShardProblem problem);

/// The `damage` of the sample that has the member of the finding.
std::string lost_member_text(const ShardFinding& finding);

/// A sample with a large member that is being read.
struct ComingSample {
  std::string key;
  std::uint64_t bytes = 0;       // of its members, this one included
  std::uint64_t text_bytes = 0;  // of its transcript
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
/// If bytes were lost, the samples next to the hole may have lost a member in it. Such a sample counts as
/// whole if it has the same extensions as the last whole sample (or, before the first one, a transcript and
/// audio).
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
  /// if there is no such sample, or if there is damage next to it.
  std::optional<std::uint64_t> boundary() const;
  /// The shape for a grouper that begins at boundary().
  const std::string& shape() const noexcept { return shape_; }
  /// The sample of the member that is being stored; nullopt if no member is.
  std::optional<ComingSample> coming() const;

  /// True if the sample that is being read will report this finding, the last one.
  bool tells(const ShardFinding& finding) const;

 private:
  /// A member that arrives in parts.
  struct Coming {
    archive::TarMember member;
    std::uint64_t bytes = 0;
    std::shared_ptr<StoredMembers> stored{};  // null for a member of no sample, whose bytes are dropped
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
  std::uint64_t in_memory_bytes_ = 0;      // of its members that are not stored
  std::shared_ptr<StoredMembers> stored_;  // its own; null if nothing is stored
  std::optional<Coming> coming_;
  bool open_beside_hole_ = false;
  bool next_beside_hole_ = false;  // bytes were lost since the last member
  std::string lost_key_;           // key of a member that was lost since the last one
  std::string lost_text_;
  std::optional<ShardProblem> lost_refused_{};
};

}  // namespace shardmill::shard
