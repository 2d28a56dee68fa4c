#include "check/inspect/shard_inspector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "audio/probe.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "dataset/loader_limits.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/utterance.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"
#include "source/corpora.hpp"
#include "source/file_name.hpp"
#include "source/split.hpp"
#include "source/tree_text.hpp"

namespace shardmill::check {

ShardKeys::Repeat ShardKeys::add(const Sample& sample) {
  bool all_members_new = true;
  for (const Member& member : sample.members) {
    all_members_new &= seen_members_.insert(sample.key + '.' + member.extension);
  }
  if (!seen_keys_.insert(sample.key)) return all_members_new ? Repeat::apart : Repeat::again;
  keys_ += sample.key;
  keys_ += '\0';
  return Repeat::none;
}

void KeyLedger::hand_in(std::size_t shard, std::string keys) {
  const std::lock_guard lock(mutex_);
  waiting_[shard] = std::move(keys);
  for (; next_ < waiting_.size() && waiting_[next_]; ++next_) {
    settle(next_, *waiting_[next_]);
    waiting_[next_]->clear();
    waiting_[next_]->shrink_to_fit();
  }
}

void KeyLedger::settle(std::size_t shard, std::string_view keys) {
  while (!keys.empty()) {
    const std::string_view key = keys.substr(0, keys.find('\0'));
    if (!seen_.insert(key)) on_duplicate_(shard, key);
    keys.remove_prefix(key.size() + 1);
  }
}

namespace {

IssueKind issue_of(audio::ProbeVerdict verdict) {
  switch (verdict) {
    case audio::ProbeVerdict::empty:
      return issue::kEmptyAudio;
    case audio::ProbeVerdict::truncated:
      return issue::kTruncatedAudio;
    case audio::ProbeVerdict::unsupported:
      return issue::kUnsupportedAudio;
    case audio::ProbeVerdict::size_unknown:
      return issue::kUnknownLength;
    default:
      return issue::kBadAudio;
  }
}

/// The tar header type of the member that a finding is about, if loaders care; 0 when it is about no member.
char type_of(ShardProblem problem) {
  switch (problem) {
    case ShardProblem::directory:
      return '5';
    case ShardProblem::link:
      return '2';
    case ShardProblem::special_file:
      return '3';
    case ShardProblem::no_key:
    case ShardProblem::sparse_file:
    case ShardProblem::oversized_member:
      return '0';
    default:
      return 0;
  }
}

/// True when Python's tarfile stops there as if the shard had ended.
bool ends_silently(ShardProblem problem) {
  return problem == ShardProblem::bad_header || problem == ShardProblem::lone_zero_block;
}

/// True if the transcript is in KEY.json, where repack finds it.
bool has_json_text(const Sample& sample) {
  return std::any_of(sample.members.begin(), sample.members.end(), [](const Member& member) {
    if (member.extension != "json") return false;
    const auto found = pipeline::read_metadata(base::as_text(member.bytes), {}, {});
    return found && !shard::clean_transcript(found->text.value_or("")).empty();
  });
}

}  // namespace

void Contents::add(const AudioInfo& audio) {
  const auto one = pipeline::duration_of(audio);
  pipeline::AudioAmount& amount = forms[{audio.format, audio.sample_rate, audio.channels}];
  ++amount.samples;
  amount.duration += one;
  duration += one;
  shortest = std::min(shortest, one);
  longest = std::max(longest, one);
}

void Contents::add(const Contents& other) {
  bytes += other.bytes;
  tar_bytes += other.tar_bytes;
  samples += other.samples;
  with_text += other.with_text;
  duration += other.duration;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  for (const auto& [form, amount] : other.forms) {
    forms[form].samples += amount.samples;
    forms[form].duration += amount.duration;
  }
  for (const auto& [subset, count] : other.subsets) subsets[subset] += count;
  for (const auto& [extension, amount] : other.extensions) {
    extensions[extension].members += amount.members;
    extensions[extension].bytes += amount.bytes;
  }
}

void ShardInspector::take(pipeline::SourceItem&& item) {
  std::visit([this](const auto& each) { take(each); }, item);
}

void ShardInspector::take(const shard::GroupedSample& sample) {
  ++report_.contents.samples;
  progress_.samples += 1;
  count_lost(sample);
  for (const std::string_view subset : source::subset_names(source::subset_in(sample.facts)))
    ++report_.contents.subsets[std::string(subset)];
  for (const Member& member : sample.sample.members) {
    Contents::Extension& extension = report_.contents.extensions[member.extension];
    ++extension.members;
    extension.bytes += member.bytes.size();
    if (is_tar_) check_name(member.name, '0', member.tar_offset);
  }
  const ShardKeys::Repeat repeat = keys_.add(sample.sample);
  if (repeat == ShardKeys::Repeat::again) add(issue::kDuplicateKey, sample, "twice in this shard");
  if (repeat == ShardKeys::Repeat::apart) add(issue::kSplitSample, sample);
  if (!sample.damage.empty()) {
    add(issue::kDamagedSample, sample, sample.damage);
    return;
  }
  check_transcript(sample);
  check_audio(sample);
}

// After damage that was reported, a tar without a proper end is not reported as more damage.
void ShardInspector::take(const ShardFinding& finding) {
  const ShardProblem problem = finding.problem;
  if (const char type = type_of(problem); type != 0) check_name(finding.name, type, finding.offset);
  const bool known = searching_ && problem == ShardProblem::truncated;
  if (problem == ShardProblem::gap || problem == ShardProblem::bad_header ||
      problem == ShardProblem::not_a_tar) {
    searching_ = true;
  } else if (problem == ShardProblem::resumed) {
    searching_ = false;
  }
  const std::optional<IssueKind> kind = issue::of(problem);
  if (!kind || known) return;
  report_.issues.add(*kind, {.where = {.path = report_.path, .member = finding.name},
                             .tar_offset = finding.offset,
                             .what = finding.text});
  if (ends_silently(problem)) stop({.kind = *kind, .offset = finding.offset, .drops_open_sample = false});
}

void ShardInspector::take(const pipeline::Damage& damage) {
  const Where& where = damage.error.where();
  report_.issues.add(issue::kDamagedCompression,
                     {.where = {.path = report_.path, .offset = where.offset, .block = where.block},
                      .what = damage.error.problem()});
  stop({.kind = issue::kDamagedCompression, .offset = 0, .drops_open_sample = true});
}

void ShardInspector::take(const manifest::Reject& lost) {
  const bool unlisted = lost.reason == manifest::RejectReason::not_listed;
  report_.issues.add(
      unlisted ? issue::kNotListed : issue::kLostUtterance,
      {.where = {.path = report_.path, .member = lost.key.value_or("")}, .what = lost.problem});
}

void ShardInspector::check_name(const std::string& name, char type, std::uint64_t tar_offset) {
  for (const shard::LoaderHazard& hazard : shard::loader_hazards(name, type)) {
    const IssueKind kind = issue::of(hazard);
    report_.issues.add(kind, {.where = {.path = report_.path, .member = name}, .tar_offset = tar_offset});
    if (hazard.drops_rest) stop({.kind = kind, .offset = tar_offset, .drops_open_sample = true});
  }
}

void ShardInspector::check_transcript(const shard::GroupedSample& sample) {
  const source::Corpus* corpus = source::corpus_with_prefix(report_.corpus);
  if (corpus != nullptr && corpus->is_textless) return;
  const auto& members = sample.sample.members;
  for (const Member& member : members) {
    if (member.extension != "json") continue;
    if (std::string why = source::why_not_json(base::as_text(member.bytes)); !why.empty())
      add(issue::kBadJson, sample, std::move(why));
  }
  const auto found = std::find_if(members.begin(), members.end(),
                                  [](const Member& each) { return each.extension == "txt"; });
  if (found == members.end()) {
    if (!has_json_text(sample.sample)) return add(issue::kNoTranscript, sample);
    ++report_.contents.with_text;
    return;
  }
  const std::string_view text = base::as_text(found->bytes);
  if (const auto why = shard::why_not_text(text)) return add(issue::kBadTranscript, sample, *why);
  if (shard::clean_transcript(text).empty()) return add(issue::kEmptyTranscript, sample);
  ++report_.contents.with_text;
}

void ShardInspector::check_audio(const shard::GroupedSample& sample) {
  std::size_t found = 0;
  for (const Member& member : sample.sample.members) {
    if (!shard::is_audio_extension(member.extension)) continue;
    ++found;
    audio::ProbeResult probed = audio::probe(member.bytes);
    if (!probed.usable() || has_length(sample, probed.info)) take_audio(member, probed);
  }
  if (found == 0) report_no_audio(sample);
  if (found > 1) add(issue::kSeveralAudio, sample);
}

/// Keeps to the length that the corpus of the sample gives. False, with an issue, if the audio is shorter.
bool ShardInspector::has_length(const shard::GroupedSample& sample, AudioInfo& info) {
  const double seconds = sample.keeps_to_seconds;
  if (seconds == 0) return true;
  const pipeline::LengthMatch match = pipeline::match_length(seconds, info);
  if (match == pipeline::LengthMatch::audio_is_longer)
    info.frames = base::rounded_product(seconds, info.sample_rate);
  if (match != pipeline::LengthMatch::audio_is_shorter) return true;
  add(issue::kLostUtterance, sample, pipeline::ends_after_recording(seconds, info.seconds()));
  return false;
}

/// Names what may be the audio.
void ShardInspector::report_no_audio(const shard::GroupedSample& sample) {
  const auto& members = sample.sample.members;
  const auto archive = std::find_if(members.begin(), members.end(), [](const Member& member) {
    return source::is_archive_name(member.name);
  });
  if (archive != members.end())
    return add(issue::kNoAudio, sample, printable(archive->name) + " is an archive, and not read");
  const auto other = std::find_if(members.begin(), members.end(), [](const Member& member) {
    return shard::may_hold_audio(member.extension);
  });
  if (other == members.end()) return add(issue::kNoAudio, sample);
  report_.issues.add(issue::kUnsupportedAudio, {.where = {.path = report_.path, .member = other->name},
                                                .tar_offset = place(other->tar_offset),
                                                .what = fmt::format(".{} is not read", other->extension)});
}

void ShardInspector::take_audio(const Member& member, const audio::ProbeResult& probed) {
  if (probed.verdict != audio::ProbeVerdict::good) {
    report_.issues.add(issue_of(probed.verdict), {.where = {.path = report_.path, .member = member.name},
                                                  .tar_offset = place(member.tar_offset),
                                                  .what = probed.text});
  }
  if (!probed.usable()) return;
  const auto report = [&](const IssueKind& kind, std::string what) {
    report_.issues.add(kind, {.where = {.path = report_.path, .member = member.name},
                              .tar_offset = place(member.tar_offset),
                              .what = std::move(what)});
  };
  const std::string_view format = probed.info.format;
  if (const auto container = format.substr(0, format.find('/')); dataset::is_foreign_container(container))
    report(issue::kForeignAudio, std::string(container));
  if (probed.trailing_bytes > 0)
    report(issue::kBytesAfterAudio, base::format_count(probed.trailing_bytes, "byte"));
  const bool is_cut = probed.trailing_bytes > 0 && probed.info.format.starts_with("ogg/");
  if (probed.verdict == audio::ProbeVerdict::good && !is_cut && audio::mended(member.bytes, probed.info)) {
    report(issue::kWrongHeader,
           probed.hidden_bytes == 0
               ? std::string()
               : fmt::format("it leaves out {} of audio", base::format_count(probed.hidden_bytes, "byte")));
  }
  report_.contents.add(probed.info);
  progress_.audio_milliseconds += static_cast<std::uint64_t>(1000 * probed.info.seconds());
}

void ShardInspector::count_lost(const shard::GroupedSample& sample) {
  for (const Stop& stop : stops_) {
    const bool is_after = sample.begin_offset > stop.offset;
    if (!is_after && !stop.drops_open_sample) continue;
    report_.issues.lose_sample(stop.kind);
  }
}

/// A loader stops only once in a shard: the samples after that are lost already.
void ShardInspector::stop(const Stop& stop) {
  const bool known = std::any_of(stops_.begin(), stops_.end(), [&](const Stop& earlier) {
    return earlier.kind.loader == stop.kind.loader;
  });
  if (!known) stops_.push_back(stop);
}

void ShardInspector::add(const IssueKind& kind, const shard::GroupedSample& sample, std::string text) {
  report_.issues.add(kind, {.where = {.path = report_.path, .member = sample.sample.key},
                            .tar_offset = place(sample.begin_offset),
                            .what = std::move(text)});
}

}  // namespace shardmill::check
