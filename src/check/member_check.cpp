#include "check/member_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audio/probe.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "check/sample_account.hpp"
#include "check/verify/sample_check.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::check {

namespace {

shard::KeyAndExtension split(const std::string& name) {
  return shard::split_name(name, shard::KeyRule::webdataset).value_or(shard::KeyAndExtension{});
}

}  // namespace

void ShardContents::add(const manifest::SampleRecord& record) {
  const auto duration = pipeline::duration_of(record.audio);
  shard::ShardTally::Share& share = datasets[record.dataset];
  share.samples += 1;
  share.duration += duration;
  pipeline::AudioAmount& amount =
      forms[{record.audio.format, record.audio.sample_rate, record.audio.channels}];
  amount.samples += 1;
  amount.duration += duration;
  shortest = std::min(shortest, duration);
  longest = std::max(longest, duration);
  audio_bytes += record.audio_bytes;
  // When texts are only in members, they are counted when they are found in the tar.
  if (!shard::clean_transcript(record.text.value_or("")).empty()) ++with_text[record.dataset];
  keys.push_back(base::xxh3_128(base::as_bytes(record.key)));
}

shard::ShardTally ShardContents::tally() const {
  shard::ShardTally tally;
  for (const auto& [name, share] : datasets) tally.datasets.push_back(share);
  for (const auto& [name, count] : with_text) tally.with_text += count;
  tally.shortest = shortest;
  tally.longest = longest;
  return tally;
}

MemberCheck::MemberCheck(Subject subject, FindingList& findings, AudioSink on_audio, SampleSink on_sample)
    : subject_(std::move(subject)),
      findings_(findings),
      on_audio_(std::move(on_audio)),
      on_sample_(std::move(on_sample)) {
  if (subject_.manifest.empty()) return;
  try {
    manifest_.emplace(subject_.manifest);
    next_record();
  } catch (const Error& error) {
    findings_.add(error);
  }
}

void MemberCheck::next_record() {
  do {
    has_record_ = read_record();
  } while (has_record_ && !accept_record());
}

// A line that cannot be read must not hide the lines after it.
bool MemberCheck::read_record() {
  for (;;) {
    try {
      return manifest_->next(record_);
    } catch (const Error& error) {
      findings_.add(error);
      if (manifest_->line_number() == last_line_) return false;
      last_line_ = manifest_->line_number();
    }
  }
}

/// False if the record contradicts itself.
bool MemberCheck::accept_record() {
  last_line_ = manifest_->line_number();
  if (record_.audio.sample_rate == 0 || record_.tar_offset <= last_tar_offset_) {
    find_at_line(record_.audio.sample_rate == 0 ? "its sample rate is 0"
                                                : "its tar_offset is not larger than the one before");
    return false;
  }
  last_tar_offset_ = record_.tar_offset;
  if (record_.shard_id != subject_.shard_id)
    find_at_line(fmt::format("its shard_id is {}", record_.shard_id));
  if (record_.duration_seconds != record_.audio.seconds())
    find_at_line("its duration is not that of its frames");
  if (split(record_.audio_filepath).key != record_.key)
    find_at_line(fmt::format("its audio_filepath {} is not named after its key", record_.audio_filepath));
  contents_.add(record_);
  return true;
}

void MemberCheck::find_at_line(std::string what) {
  findings_.add(at(subject_.manifest),
                fmt::format("line {} ('{}'): {}", manifest_->line_number(), record_.key, what));
}

void MemberCheck::find(const archive::TarMember& member, std::string what) {
  findings_.add({.where = {.path = subject_.shard, .member = member.name},
                 .tar_offset = member.tar_offset,
                 .what = std::move(what)});
}

void MemberCheck::on_finding(ShardFinding&& finding) {
  findings_.add(subject_.shard, finding, severity_of(finding.problem, ShardOf::dataset));
}

void MemberCheck::on_member(archive::TarMember&& member) {
  if (!manifest_) return;
  while (has_record_ && record_.tar_offset < member.tar_offset) lose_record();
  if (has_record_ && record_.tar_offset == member.tar_offset) {
    const bool is_audio =
        member.name == record_.audio_filepath || shard::is_audio_extension(split(member.name).extension);
    if (is_audio) return take_audio(std::move(member));
    lose_record();  // another member has taken its place
  }
  if (split(member.name).extension == "txt") {
    drop_transcript();
    transcript_ = std::move(member);
    return;
  }
  take_extra(member);
}

void MemberCheck::take_audio(archive::TarMember&& member) {
  close_sample();
  if (member.name != record_.audio_filepath)
    find(member, fmt::format("the manifest calls it '{}'", record_.audio_filepath));
  if (member.bytes.size() != record_.audio_bytes) {
    find(member,
         fmt::format("has {} bytes, but the manifest says {}", member.bytes.size(), record_.audio_bytes));
  } else if (base::xxh3_128(member.bytes) != record_.xxh3) {
    find(member, "its bytes have changed: the manifest has another hash");
  }
  check_header(member);
  check_transcript(member);
  sample_ = record_;
  sample_open_ = true;
  if (on_audio_) on_audio_(record_, std::move(member));
  next_record();
}

// The manifest may lie in step: durations that were swapped between two lines leave all sums as they were.
void MemberCheck::check_header(const archive::TarMember& audio) {
  const audio::ProbeResult probed = audio::probe(audio.bytes);
  if (!probed.usable())
    return;  // also the manifest of a sound shard may describe what only a decoder measures
  const auto text_of = [](const AudioInfo& info) {
    return fmt::format("{} frames of {} at {} Hz with {}", info.frames, info.format, info.sample_rate,
                       base::format_count(info.channels, "channel"));
  };
  const AudioInfo& said = record_.audio;
  const AudioInfo& found = probed.info;
  if (found.frames == said.frames && found.sample_rate == said.sample_rate &&
      found.channels == said.channels && found.format == said.format)
    return;
  find(audio, fmt::format("has {}, but the manifest says {}", text_of(found), text_of(said)));
}

void MemberCheck::check_transcript(const archive::TarMember& audio) {
  if (transcript_ && split(transcript_->name).key != record_.key) drop_transcript();
  sample_transcript_ = record_.text.value_or("");
  const auto place = subject_.text;
  if (place && (*place == pipeline::TextPlace::members) == record_.text.has_value())
    find(audio, record_.text ? "the manifest has its text, although texts should be members only"
                             : "the manifest lacks its text");
  if (!transcript_) {
    if (place == pipeline::TextPlace::both && !sample_transcript_.empty())
      find(audio, "its transcript is missing before it");
    return;
  }
  const std::string text = shard::clean_transcript(base::as_text(transcript_->bytes));
  if (place == pipeline::TextPlace::manifest)
    find(*transcript_, "is there, although texts should be in the manifests only");
  if (record_.text) {
    const bool is_same = subject_.exact_text ? base::as_text(transcript_->bytes) == *record_.text
                                             : text == shard::clean_transcript(*record_.text);
    if (!is_same) find(*transcript_, "its text is not that of the manifest");
  } else {
    sample_transcript_ = text;
    if (!text.empty()) ++contents_.with_text[record_.dataset];
  }
  transcript_.reset();
}

void MemberCheck::drop_transcript() {
  if (transcript_) find(*transcript_, "is not followed by audio with its key");
  transcript_.reset();
}

void MemberCheck::take_extra(const archive::TarMember& member) {
  drop_transcript();
  if (!sample_open_ || split(member.name).key != sample_.key) {
    find(member, "belongs to no sample of the manifest");
    return;
  }
  const bool again = member.name == sample_.audio_filepath ||
                     std::find(extra_names_.begin(), extra_names_.end(), member.name) != extra_names_.end();
  if (again) find(member, "is in its sample twice");
  if (!again && subject_.text == pipeline::TextPlace::manifest)
    find(member, "is there, although the shards should hold nothing but audio");
  extra_names_.push_back(member.name);
  extras_.push_back(extra_hash(member.name, member.bytes));
}

void MemberCheck::close_sample() {
  if (sample_open_ && on_sample_)
    on_sample_({.record = sample_, .transcript = sample_transcript_, .extras = extras_});
  sample_open_ = false;
  extra_names_.clear();
  extras_.clear();
}

void MemberCheck::lose_record() {
  findings_.add({.where = {.path = subject_.shard, .member = record_.audio_filepath},
                 .tar_offset = record_.tar_offset,
                 .what = "is in the manifest, but not in the shard"});
  next_record();
}

void MemberCheck::take_word_of_manifest() {
  contents_.knows_texts = subject_.text != pipeline::TextPlace::members;
  while (has_record_) next_record();
}

void MemberCheck::finish() {
  if (!manifest_) return;
  drop_transcript();
  close_sample();
  while (has_record_) lose_record();
}

}  // namespace shardmill::check
