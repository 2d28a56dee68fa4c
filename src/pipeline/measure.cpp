#include "pipeline/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "audio/probe.hpp"
#include "base/io/file.hpp"
#include "pipeline/intake/recast.hpp"
#include "pipeline/intake/text_bound.hpp"
#include "pipeline/sample_metadata.hpp"
#include "shard/safe_key.hpp"
#include "shard/transcript.hpp"
#include "source/split.hpp"

namespace shardmill::pipeline {

namespace {

using manifest::Reject;
using manifest::RejectReason;

Reject reject_of(const shard::GroupedSample& sample, const Origin& origin, RejectReason reason,
                 std::string problem) {
  Reject reject;
  reject.dataset = origin.dataset_name;
  reject.source = origin.source;
  reject.key = sample.sample.key;
  if (origin.is_tar) {
    const Member& last = sample.sample.members.back();
    reject.tar_bytes = Reject::ByteRange{sample.begin_offset, last.tar_offset + last.bytes.size()};
  }
  reject.reason = reason;
  reject.problem = std::move(problem);
  return reject;
}

/// The members of a sample, by their roles.
struct Roles {
  Member* audio = nullptr;
  const Member* transcript = nullptr;
  std::string text{};  // its text, cleaned
  std::vector<Member> extras;
  std::size_t audio_members = 0;
};

/// The audio and the transcript stay in `sample`.
Roles roles_of(Sample& sample) {
  Roles roles;
  for (Member& member : sample.members) {
    if (member.extension == "txt") {
      roles.transcript = &member;
    } else if (shard::is_audio_extension(member.extension)) {
      roles.audio = &member;
      ++roles.audio_members;
    } else {
      roles.extras.push_back(std::move(member));
    }
  }
  return roles;
}

std::string_view text_of(const Member& member) {
  return {reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()};
}

RejectReason reason_of(audio::ProbeVerdict verdict) {
  switch (verdict) {
    case audio::ProbeVerdict::empty:
      return RejectReason::empty_audio;
    case audio::ProbeVerdict::truncated:
      return RejectReason::truncated_audio;
    default:
      return RejectReason::bad_audio;
  }
}

/// Adds what KEY.json says. Its text counts where there is no KEY.txt, or where the user named the field.
void add_metadata(shard::GroupedSample& sample, Roles& roles, const std::string& text_field) {
  const auto json = std::find_if(roles.extras.begin(), roles.extras.end(),
                                 [](const Member& member) { return member.extension == "json"; });
  if (json == roles.extras.end()) return;
  auto found = read_metadata(text_of(*json), text_field, sample.facts);
  if (!found) return;
  if (!sample.facts.empty() && !found->facts.empty()) sample.facts += ',';
  sample.facts += found->facts;
  if (!found->text || (roles.transcript != nullptr && text_field.empty())) return;
  roles.text = shard::clean_transcript(*found->text);
  roles.transcript = nullptr;
}

/// Why the sample cannot be taken, judged by its members and its transcript.
std::optional<Reject> find_fault(const shard::GroupedSample& sample, const Roles& roles,
                                 const Origin& origin) {
  if (!sample.damage.empty()) return reject_of(sample, origin, RejectReason::damaged_source, sample.damage);
  if (roles.audio_members == 0) {
    return reject_of(sample, origin, RejectReason::no_audio, "has no audio member");
  }
  if (roles.audio_members > 1) {
    return reject_of(sample, origin, RejectReason::several_audio,
                     fmt::format("has {} audio members", roles.audio_members));
  }
  if (roles.transcript != nullptr) {
    if (auto problem = find_long_transcript(roles.transcript->bytes.size()))
      return reject_of(sample, origin, RejectReason::too_large, std::move(*problem));
    if (const auto why = shard::why_not_text(text_of(*roles.transcript)))
      return reject_of(sample, origin, RejectReason::bad_text, "has a transcript that " + *why);
  }
  return std::nullopt;
}

/// Why the user does not want samples with this key; nullopt when they are wanted.
std::optional<std::pair<RejectReason, std::string>> unwanted(const std::string& key,
                                                             const KeyPatterns& patterns) {
  if (!patterns.includes(key)) {
    return std::pair(RejectReason::not_included, std::string("its key matches no --include"));
  }
  if (const std::string* pattern = patterns.excludes(key)) {
    return std::pair(RejectReason::excluded, fmt::format("its key matches --exclude '{}'", *pattern));
  }
  if (!patterns.is_listed(key))
    return std::pair(RejectReason::not_included, std::string("its key is not among those to include"));
  if (patterns.is_banned(key))
    return std::pair(RejectReason::excluded, std::string("its key is among those to exclude"));
  return std::nullopt;
}

/// If the user did not want this sample anyway, gives that as the reason, so that it does not count as an
/// error.
void give_reason_of_filter(Reject& reject, const KeyPatterns& patterns) {
  if (auto why = unwanted(reject.key.value_or(""), patterns))
    std::tie(reject.reason, reject.problem) = std::move(*why);
}

/// How a sample of a finished dataset differs from its line in the manifest; empty when it does not.
std::string differs_from(const manifest::SampleRecord& listed, const Roles& roles) {
  if (base::xxh3_128(roles.audio->bytes) != listed.xxh3)
    return "its audio has changed: the manifest has another hash";
  if (listed.text && roles.text != shard::clean_transcript(*listed.text))
    return "its transcript is not that of the manifest";
  return {};
}

/// Why the user's filters for duration and text leave the sample out.
std::optional<Reject> find_filter(const shard::GroupedSample& sample, const Roles& roles,
                                  const AudioInfo& info, const Origin& origin, const IntakeOptions& options) {
  const double seconds = info.seconds();
  if (seconds < options.min_seconds) {
    return reject_of(sample, origin, RejectReason::too_short, fmt::format("lasts {} s", seconds));
  }
  if (seconds > options.max_seconds) {
    return reject_of(sample, origin, RejectReason::too_long, fmt::format("lasts {} s", seconds));
  }
  if (options.require_text && roles.text.empty()) {
    return reject_of(sample, origin, RejectReason::no_text, "has no transcript");
  }
  return std::nullopt;
}

/// Keeps what a finished dataset says about the origin of the sample.
void keep_origin(const manifest::SampleRecord& listed, manifest::SampleRecord& record) {
  record.source = listed.source;
  record.source_key = listed.source_key;
  record.source_xxh3 = listed.source_xxh3;
  record.facts = listed.facts;
}

/// What a finished dataset knows of the audio holds as long as the audio stays as it is.
void set_heard(const Recast& recast, const manifest::SampleRecord* listed, manifest::SampleRecord& record) {
  record.quality = recast.heard.quality;
  record.sound_xxh3 = recast.heard.sound;
  if (listed == nullptr || recast.source_xxh3) return;
  if (!record.quality) record.quality = listed->quality;
  if (!record.sound_xxh3) record.sound_xxh3 = listed->sound_xxh3;
}

Utterance make_utterance(const shard::GroupedSample& sample, const Roles& roles, const AudioInfo& info,
                         const Origin& origin, TextPlace text_place) {
  Utterance utterance;
  utterance.dataset = origin.dataset;
  utterance.given = origin.given;
  manifest::SampleRecord& record = utterance.record;
  utterance.has_text = !roles.text.empty();
  utterance.text_cleaned =
      roles.transcript != nullptr && shard::is_unclean(text_of(*roles.transcript), roles.text);
  if (text_place != TextPlace::members) record.text = roles.text;
  record.duration_seconds = info.seconds();
  record.key = shard::safe_key(sample.sample.key);
  record.dataset = origin.dataset_name;
  record.audio = info;
  record.audio_bytes = roles.audio->bytes.size();
  record.xxh3 = base::xxh3_128(roles.audio->bytes);
  record.source = origin.source;
  record.source_key = sample.sample.key;
  record.facts = sample.facts;
  if (sample.listed) keep_origin(*sample.listed, record);
  utterance.subset = source::subset_in(record.facts);
  utterance.is_published = origin.is_published;
  utterance.from_archive = origin.from_archive;
  shard::SampleParts to_pack{.key = record.key,
                             .transcript = std::nullopt,
                             .audio_extension = roles.audio->extension,
                             .audio = roles.audio->bytes,
                             .extras = roles.extras};
  const bool has_transcript = roles.transcript != nullptr || !roles.text.empty();
  if (has_transcript && text_place != TextPlace::manifest) to_pack.transcript = base::as_bytes(roles.text);
  utterance.packed = shard::pack(to_pack);
  record.audio_filepath = utterance.packed.audio_name;
  return utterance;
}

/// Usually nobody knows how many samples are lost. When they are listed, this reject counts none, because
/// each lost sample gets its own reject.
void set_loss(Reject& reject, bool is_listed) {
  if (is_listed) {
    reject.samples = 0;
  } else {
    reject.samples_unknown = true;
  }
}

/// The reject for a finding in the tar; nullopt when nothing is lost.
std::optional<Reject> reject_of(const ShardFinding& finding, const Origin& origin) {
  const auto make = [&](RejectReason reason) {
    Reject reject;
    reject.dataset = origin.dataset_name;
    reject.source = origin.source;
    if (!finding.name.empty()) reject.member = finding.name;
    reject.tar_bytes = Reject::ByteRange{finding.offset, finding.offset + finding.bytes};
    reject.reason = reason;
    reject.problem = finding.text;
    return reject;
  };
  const auto make_damage = [&](RejectReason reason) {
    Reject reject = make(reason);
    set_loss(reject, origin.is_listed);
    return reject;
  };
  switch (finding.problem) {
    // These lose nothing. An odd name or a duplicate member shows in the sample itself.
    case ShardProblem::directory:
    case ShardProblem::odd_name:
    case ShardProblem::duplicate_member:
    case ShardProblem::lone_zero_block:
    // The search after a gap or a bad header has ended. The gap or the header was reported already.
    case ShardProblem::resumed:
      return std::nullopt;
    case ShardProblem::no_key:
      return make(RejectReason::not_a_sample);
    case ShardProblem::link:
    case ShardProblem::special_file:
    case ShardProblem::sparse_file:
      return make(RejectReason::unsafe_member);
    case ShardProblem::oversized_member:
      return make(RejectReason::too_large);
    case ShardProblem::truncated:
    case ShardProblem::no_end:
      return make_damage(RejectReason::truncated_source);
    // One member is lost.
    case ShardProblem::bad_extension:
      return make(RejectReason::damaged_source);
    default:
      return make_damage(RejectReason::damaged_source);
  }
}

Reject reject_of(const Damage& damage, const Origin& origin) {
  const Where& where = damage.error.where();
  Reject reject;
  reject.dataset = origin.dataset_name;
  reject.source = origin.source;
  if (where.offset) reject.file_bytes = Reject::ByteRange{*where.offset, *where.offset + damage.bytes};
  reject.reason = RejectReason::damaged_source;
  reject.problem = damage.error.problem();
  if (where.block) reject.problem = fmt::format("block {}: {}", *where.block, reject.problem);
  set_loss(reject, origin.is_listed && !damage.of_listing);
  return reject;
}

Reject reject_of(const LostUtterance& lost, const Origin& origin) {
  Reject reject;
  reject.dataset = origin.dataset_name;
  reject.source = origin.source;
  reject.key = lost.key;
  reject.reason = lost.reason;
  reject.problem = lost.problem;
  return reject;
}

}  // namespace

bool is_error(RejectReason reason) {
  switch (reason) {
    case RejectReason::no_text:
    case RejectReason::too_short:
    case RejectReason::too_long:
    case RejectReason::duplicate_key:
    case RejectReason::not_a_sample:
    case RejectReason::not_listed:
    case RejectReason::not_included:
    case RejectReason::excluded:
    case RejectReason::removed:
    case RejectReason::duplicate_audio:
    case RejectReason::clipped:
    case RejectReason::dc_offset:
    case RejectReason::silent:
    case RejectReason::narrow_band:
      return false;
    default:
      return true;
  }
}

Measured measure(shard::GroupedSample&& sample, const Origin& origin, const IntakeOptions& options) {
  if (auto why = unwanted(sample.sample.key, options.keys))
    return {.outcome = reject_of(sample, origin, why->first, std::move(why->second))};
  Roles roles = roles_of(sample.sample);
  if (auto reject = find_fault(sample, roles, origin)) return {.outcome = std::move(*reject)};
  if (roles.transcript != nullptr) roles.text = shard::clean_transcript(text_of(*roles.transcript));
  if (!sample.listed) add_metadata(sample, roles, options.tree.text_field);
  const auto reject_audio = [&](RejectReason reason, std::string problem) {
    Reject reject = reject_of(sample, origin, reason, std::move(problem));
    reject.member = roles.audio->name;
    return Measured{.outcome = std::move(reject)};
  };
  audio::ProbeResult probed = audio::probe(roles.audio->bytes);
  if (!probed.usable()) return reject_audio(reason_of(probed.verdict), probed.text);
  if (auto reject = find_filter(sample, roles, probed.info, origin, options))
    return {.outcome = std::move(*reject)};
  if (sample.listed) {
    if (auto problem = differs_from(*sample.listed, roles); !problem.empty())
      return {.outcome = reject_of(sample, origin, RejectReason::damaged_source, std::move(problem))};
  }
  Recast recast = pipeline::recast(*roles.audio, probed.info, options.form);
  if (!recast.problem.empty()) return reject_audio(RejectReason::bad_audio, std::move(recast.problem));

  if (recast.heard.quality) {
    if (auto why = beyond(options.quality, *recast.heard.quality))
      return {.outcome = reject_of(sample, origin, why->first, std::move(why->second))};
  }

  Utterance utterance = make_utterance(sample, roles, probed.info, origin, options.text);
  utterance.reencoded = recast.source_xxh3.has_value();
  set_heard(recast, sample.listed.get(), utterance.record);
  if (!utterance.record.source_xxh3) utterance.record.source_xxh3 = recast.source_xxh3;
  if (auto problem = find_long_line(utterance.record, roles.text))
    return {.outcome = reject_of(sample, origin, RejectReason::too_large, std::move(*problem))};
  Measured measured{.outcome = std::move(utterance), .clipped = recast.clipped};
  if (probed.verdict == audio::ProbeVerdict::size_unknown && !recast.source_xxh3)
    measured.warning = name(probed.verdict);
  return measured;
}

std::optional<Measured> measure(SourceItem&& item, const Origin& origin, const IntakeOptions& options) {
  if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
    if (!sample->listed) return measure(std::move(*sample), origin, options);
    Origin listed = origin;
    listed.dataset_name = sample->listed->dataset;
    return measure(std::move(*sample), listed, options);
  }
  if (const auto* finding = std::get_if<ShardFinding>(&item)) {
    auto reject = reject_of(*finding, origin);
    return reject ? std::optional(Measured{.outcome = std::move(*reject)}) : std::nullopt;
  }
  if (const auto* lost = std::get_if<LostUtterance>(&item)) {
    Reject reject = reject_of(*lost, origin);
    give_reason_of_filter(reject, options.keys);
    return Measured{.outcome = std::move(reject)};
  }
  return Measured{.outcome = reject_of(std::get<Damage>(item), origin)};
}

Reject reject_of(const Utterance& utterance, RejectReason reason, std::string problem) {
  Reject reject;
  reject.dataset = utterance.record.dataset;
  reject.source = utterance.record.source;
  reject.key = utterance.record.source_key;
  reject.reason = reason;
  reject.problem = std::move(problem);
  return reject;
}

Reject reject_of(const source::Unusable& unusable, const KeyPatterns& keys) {
  Reject reject;
  reject.dataset = unusable.dataset;
  reject.source = unusable.error.where().path;
  if (!unusable.key.empty()) reject.key = unusable.key;
  reject.problem = unusable.error.problem();
  switch (unusable.what) {
    case source::Unusable::What::file:
      reject.reason = RejectReason::unreadable_source;
      reject.samples = unusable.samples;
      reject.samples_unknown = !unusable.samples;
      break;
    case source::Unusable::What::audio:
      reject.reason = RejectReason::missing_audio;
      break;
    case source::Unusable::What::segment:
      reject.reason = RejectReason::bad_segment;
      break;
  }
  if (unusable.what != source::Unusable::What::file) give_reason_of_filter(reject, keys);
  return reject;
}

}  // namespace shardmill::pipeline
