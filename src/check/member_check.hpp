// MemberCheck: holds the members of a shard against its manifest, in step with the tar as it is read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/tar_parser.hpp"
#include "base/hash/hash.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "model/finding.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/shard_tally.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::check {

/// What one shard holds, by its manifest.
struct ShardContents {
  std::map<std::string, pipeline::ShardTally::Share> datasets;
  std::map<pipeline::AudioForm, pipeline::AudioAmount> forms;
  std::chrono::nanoseconds shortest{std::chrono::nanoseconds::max()};
  std::chrono::nanoseconds longest{};
  std::uint64_t audio_bytes = 0;
  std::map<std::string, std::uint64_t> with_text;  // samples, by dataset
  std::vector<base::Xxh128> keys;                  // as hashes, one a line

  void add(const manifest::SampleRecord& record);
  /// Of all datasets together.
  pipeline::ShardTally tally() const;
};

/// A sample that was found where its manifest says, with what else belongs to it.
struct FoundSample {
  const manifest::SampleRecord& record;
  std::string_view transcript;
  const std::vector<base::Xxh128>& extras;  // hashes of the members behind the audio, in their order
};

/// Stands behind a TarParser. One thread.
class MemberCheck final : public archive::TarSink {
 public:
  struct Subject {
    std::string shard;     // the file
    std::string manifest;  // the file; empty: there is none, members are then not accounted for
    std::uint64_t shard_id = 0;
    std::optional<pipeline::TextPlace> text;  // none: not known
    bool exact_text = false;  // it is clean in the tar and in the manifest: they are the same bytes
  };
  using AudioSink = std::function<void(const manifest::SampleRecord&, archive::TarMember&&)>;
  using SampleSink = std::function<void(const FoundSample&)>;

  /// Either sink may be empty.
  MemberCheck(Subject subject, FindingList& findings, AudioSink on_audio, SampleSink on_sample);

  void on_member(archive::TarMember&& member) override;
  void on_finding(ShardFinding&& finding) override;
  /// Call after the parser's finish(): what the manifest still promises is missing.
  void finish();

  const ShardContents& contents() const noexcept { return contents_; }

 private:
  void next_record();
  bool read_record();
  bool accept_record();
  void find_at_line(std::string what);
  void find(const archive::TarMember& member, std::string what);
  void take_audio(archive::TarMember&& member);
  void check_transcript(const archive::TarMember& audio);
  void drop_transcript();
  void take_extra(const archive::TarMember& member);
  void close_sample();
  void lose_record();

  Subject subject_;
  FindingList& findings_;
  AudioSink on_audio_;
  SampleSink on_sample_;
  ShardContents contents_;

  std::optional<manifest::RecordReader> manifest_;
  manifest::WholeSampleRecord record_;  // the next one that the tar should hold
  bool has_record_ = false;
  std::uint64_t last_tar_offset_ = 0;
  std::uint64_t last_line_ = 0;

  std::optional<archive::TarMember> transcript_;  // waits for its audio
  bool sample_open_ = false;
  manifest::SampleRecord sample_;  // whose audio came last
  std::string sample_transcript_;
  std::vector<std::string> extra_names_;
  std::vector<base::Xxh128> extras_;
};

}  // namespace shardmill::check
