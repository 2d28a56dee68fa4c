// MemberCheck: compares the members of a shard with its manifest, while the tar is being read.
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
#include "pipeline/utterance.hpp"
#include "shard/sample_packer.hpp"

namespace shardmill::check {

/// What one shard contains, according to its manifest.
struct ShardContents {
  std::map<std::string, shard::ShardTally::Share> datasets;
  std::map<pipeline::AudioForm, pipeline::AudioAmount> forms;
  std::chrono::nanoseconds shortest{std::chrono::nanoseconds::max()};
  std::chrono::nanoseconds longest{};
  std::uint64_t audio_bytes = 0;
  std::map<std::string, std::uint64_t> with_text;  // samples with a transcript, by dataset
  bool knows_texts = true;                         // false: texts are in the tar only, which was not read
  std::vector<base::Xxh128> keys;                  // as hashes, one for each line

  void add(const manifest::SampleRecord& record);
  /// The sum over all datasets.
  shard::ShardTally tally() const;
};

/// A sample that was found where its manifest says, with its other members.
struct ListedSample {
  const manifest::SampleRecord& record;
  std::string_view transcript;
  const std::vector<base::Xxh128>& extras;  // hashes of the members after the audio, in their order
};

/// Receives the members from a TarParser. One thread at a time.
class MemberCheck final : public archive::TarSink {
 public:
  struct Subject {
    std::string shard;     // path
    std::string manifest;  // path; empty: there is no manifest, so members are not compared
    std::uint64_t shard_id = 0;
    std::optional<pipeline::TextPlace> text;  // where texts should be; none: not known
    bool exact_text = false;  // texts are cleaned in tar and manifest, so they must have the same bytes
  };
  using AudioSink = std::function<void(const manifest::SampleRecord&, archive::TarMember&&)>;
  using SampleSink = std::function<void(const ListedSample&)>;

  /// Either sink may be empty.
  MemberCheck(Subject subject, FindingList& findings, AudioSink on_audio, SampleSink on_sample);

  void on_member(archive::TarMember&& member) override;
  void on_finding(ShardFinding&& finding) override;
  /// For a shard that is not read: its contents are those that the manifest lists.
  void take_word_of_manifest();
  /// Call this after the parser's finish(). Records of the manifest that were not found are missing.
  void finish();

  const ShardContents& contents() const noexcept { return contents_; }

 private:
  void next_record();
  bool read_record();
  bool accept_record();
  void find_at_line(std::string what);
  void find(const archive::TarMember& member, std::string what);
  void take_audio(archive::TarMember&& member);
  void check_header(const archive::TarMember& audio);
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
  manifest::WholeSampleRecord record_;  // the next sample that the tar should contain
  bool has_record_ = false;
  std::uint64_t last_tar_offset_ = 0;
  std::uint64_t last_line_ = 0;

  std::optional<archive::TarMember> transcript_;  // waits for its audio
  bool sample_open_ = false;
  manifest::SampleRecord sample_;  // the one whose audio came last
  std::string sample_transcript_;
  std::vector<std::string> extra_names_;
  std::vector<base::Xxh128> extras_;
};

}  // namespace shardmill::check
