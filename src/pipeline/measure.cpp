#include "pipeline/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "audio/probe.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "pipeline/intake/corpus_sample.hpp"
#include "pipeline/measure/rejects.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/utterance.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"
#include "shard/tar_input.hpp"
#include "source/file_name.hpp"
#include "source/split.hpp"
#include "source/tree_text.hpp"

namespace shardmill::pipeline {

namespace {

using manifest::Reject;
using manifest::RejectReason;

/// The members of a sample, by their roles.
struct Roles {
  Member* audio = nullptr;
  const Member* transcript = nullptr;
  std::string text{};  // its text, cleaned
  std::vector<Member> extras;
  std::size_t audio_members = 0;
  std::string json_damage{};                // why KEY.json is no JSON; empty: it is some, or not there
  bool json_has_fields = true;              // false: it is JSON, but no object
  std::vector<std::string> left_members{};  // extensions of those that no shard and no manifest takes over
};

auto find_json(std::vector<Member>& extras) {
  return std::ranges::find(extras, "json", &Member::extension);
}

/// True for a video whose sound is a member of its own.
bool is_beside_audio(const Member& video, const std::vector<Member>& members) {
  return shard::is_video_extension(video.extension) &&
         std::any_of(members.begin(), members.end(), [](const Member& member) {
           return shard::is_audio_extension(member.extension) && !shard::is_video_extension(member.extension);
         });
}

/// The audio and the transcript stay in `sample`.
Roles roles_of(Sample& sample) {
  Roles roles;
  for (Member& member : sample.members) {
    if (member.extension == "txt") {
      roles.transcript = &member;
    } else if (shard::is_audio_extension(member.extension) && !is_beside_audio(member, sample.members)) {
      roles.audio = &member;
      ++roles.audio_members;
    } else {
      roles.extras.push_back(std::move(member));
    }
  }
  return roles;
}

RejectReason reason_of(audio::ProbeVerdict verdict) {
  switch (verdict) {
    case audio::ProbeVerdict::empty:
      return RejectReason::empty_audio;
    case audio::ProbeVerdict::truncated:
      return RejectReason::truncated_audio;
    case audio::ProbeVerdict::good:
    case audio::ProbeVerdict::size_unknown:
    case audio::ProbeVerdict::unrecognised:
    case audio::ProbeVerdict::unsupported:
    case audio::ProbeVerdict::absurd:
    case audio::ProbeVerdict::damaged:
      break;
  }
  return RejectReason::bad_audio;
}

/// Adds what KEY.json says. Its text counts where there is no KEY.txt, or where the user named the field.
void add_metadata(shard::GroupedSample& sample, Roles& roles, const std::string& text_field) {
  const auto json = find_json(roles.extras);
  if (json == roles.extras.end()) return;
  auto found = read_metadata(base::as_text(json->bytes), text_field, sample.facts);
  if (!found) {
    roles.json_damage = source::why_not_json(base::as_text(json->bytes));
    roles.json_has_fields = !roles.json_damage.empty();
    return;
  }
  if (sample.is_row) roles.extras.erase(json);
  if (!sample.facts.empty() && !found->facts.empty()) sample.facts += ',';
  sample.facts += found->facts;
  const bool has_text = found->text || (sample.is_row && !text_field.empty());
  if (!has_text || (roles.transcript != nullptr && text_field.empty())) return;
  roles.text = shard::clean_transcript(found->text.value_or(""));
  roles.transcript = nullptr;
}

/// What is wrong with a transcript that does not come from KEY.txt. Empty: nothing is.
std::string fault_of_text(const Roles& roles) {
  if (roles.transcript != nullptr || roles.text.empty()) return {};
  const auto why = shard::why_not_text(roles.text);
  return why ? "has a transcript that " + *why : std::string();
}

/// A damaged KEY.json may have held the transcript and the speaker. A sample with a transcript is taken all
/// the same if a table of the user has a row for it.
std::optional<Reject> find_bad_json(const shard::GroupedSample& sample, Roles& roles,
                                    const JoinedFields& joined, const Origin& origin) {
  const bool is_told_of = !joined.text.empty() || !joined.facts.empty();
  if (roles.json_damage.empty() || (is_told_of && !roles.text.empty())) return std::nullopt;
  Reject reject = reject_of(sample, origin, RejectReason::bad_text, roles.json_damage);
  reject.member = find_json(roles.extras)->name;
  return reject;
}

/// Whether the manifest line says all that KEY.json does: its fields, and a transcript that is no other one.
bool is_in_manifest(const Member& json, const Roles& roles, const std::string& text_field) {
  const auto found = read_metadata(base::as_text(json.bytes), text_field, {});
  if (!found) return false;
  const std::string text = shard::clean_transcript(found->text.value_or(""));
  return text.empty() || text == roles.text;
}

/// Where transcripts are in the manifests alone, shards hold nothing but audio: readers as that of NeMo stop
/// at any other member. Call when the text of the sample is known, but for tables of the user.
void leave_members(Roles& roles, const std::string& text_field) {
  for (const Member& member : roles.extras) {
    if (member.extension != "json" || !is_in_manifest(member, roles, text_field))
      roles.left_members.push_back(member.extension);
  }
}

/// What is odd about KEY.json of a sample that is taken nevertheless.
void add_warning_about_json(const Roles& roles, std::vector<std::string_view>& warnings) {
  if (!roles.json_damage.empty()) warnings.emplace_back("bad_json");
  if (!roles.json_has_fields) warnings.emplace_back("json_without_fields");
}

/// Archives in a shard are not read. It is unknown how many samples are in one.
std::optional<Reject> find_archive(const shard::GroupedSample& sample, const Roles& roles,
                                   const Origin& origin) {
  const auto archive = std::find_if(roles.extras.begin(), roles.extras.end(), [](const Member& member) {
    return source::is_archive_name(member.name);
  });
  if (archive == roles.extras.end()) return std::nullopt;
  Reject reject =
      reject_of(sample, origin, RejectReason::no_audio,
                fmt::format("{} is an archive, and those in a shard are not read: unpack the shard, "
                            "and give its folder",
                            printable(archive->name)));
  reject.samples_unknown = true;
  return reject;
}

std::string why_no_audio(const Roles& roles) {
  const auto other = std::find_if(roles.extras.begin(), roles.extras.end(), [](const Member& member) {
    return shard::may_hold_audio(member.extension);
  });
  if (other == roles.extras.end()) return "has no audio member";
  return fmt::format("has no audio that is read, only {}: convert it to FLAC first", printable(other->name));
}

/// Why the sample cannot be taken, judged by its members and its transcript.
std::optional<Reject> find_fault(const shard::GroupedSample& sample, const Roles& roles,
                                 const Origin& origin) {
  if (!sample.damage.empty()) return reject_of_damaged(sample, origin);
  if (roles.audio_members == 0) {
    if (auto archive = find_archive(sample, roles, origin)) return archive;
    return reject_of(sample, origin, RejectReason::no_audio,
                     sample.is_row ? "its audio is not in the Parquet file, which has no bytes in this row"
                                   : why_no_audio(roles));
  }
  if (roles.audio_members > 1) {
    return reject_of(sample, origin, RejectReason::several_audio,
                     fmt::format("has {} audio members", roles.audio_members));
  }
  if (roles.transcript != nullptr) {
    if (auto problem = find_long_transcript(roles.transcript->bytes.size()))
      return reject_of(sample, origin, RejectReason::too_large, std::move(*problem));
    if (const auto why = shard::why_not_text(base::as_text(roles.transcript->bytes)))
      return reject_of(sample, origin, RejectReason::bad_text, "has a transcript that " + *why);
  }
  return std::nullopt;
}

/// How a sample of a finished dataset differs from its line in the manifest; empty when it does not.
std::string differs_from(const manifest::SampleRecord& listed, const Roles& roles, const std::string& text) {
  if (base::xxh3_128(roles.audio->bytes) != listed.xxh3)
    return "its audio has changed: the manifest has another hash";
  if (listed.text && text != shard::clean_transcript(*listed.text))
    return "its transcript is not that of the manifest";
  return {};
}

/// Cuts the audio to the length that its corpus gives, if it is clearly longer. Why that cannot be done.
std::optional<std::pair<RejectReason, std::string>> keep_to_length(shard::GroupedSample& sample,
                                                                   Member& audio, AudioInfo& info) {
  const double seconds = sample.keeps_to_seconds;
  if (seconds == 0) return std::nullopt;
  try {
    switch (match_length(seconds, info)) {
      case LengthMatch::same:
        break;
      case LengthMatch::audio_is_shorter:
        return std::pair(RejectReason::bad_segment, ends_after_recording(seconds, info.seconds()));
      case LengthMatch::audio_is_longer:
        cut_to_length(audio, info, seconds);
        sample.is_cut_to_seconds = true;
        sample.facts = facts_with_place(0, seconds, sample.facts);
    }
    return std::nullopt;
  } catch (const Error& error) {
    return std::pair(RejectReason::bad_audio, error.problem());
  }
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

std::vector<std::string_view> warnings_about(const audio::ProbeResult& probed, const Recast& recast) {
  std::vector<std::string_view> warnings;
  const bool is_cut = probed.trailing_bytes > 0 && probed.info.format.starts_with("ogg/");
  if ((recast.mended && !is_cut) || probed.hidden_bytes > 0) {
    warnings.emplace_back("mended_header");
  } else if (probed.verdict == audio::ProbeVerdict::size_unknown && !recast.source_xxh3) {
    warnings.push_back(name(probed.verdict));
  }
  if (probed.trailing_bytes > 0) warnings.emplace_back("bytes_after_audio");
  if (recast.channels_cancel) warnings.emplace_back("channels_cancel");
  return warnings;
}

/// What becomes one sample of the dataset: all of the audio, or one of its channels.
struct Part {
  std::string key;                         // in the source; of a channel, with its name behind it
  std::optional<std::uint32_t> channel{};  // from 0
};

/// `joined`: facts from tables of the user, who knows better than the source.
Utterance make_utterance(const shard::GroupedSample& sample, const Part& part, const Roles& roles,
                         const AudioInfo& info, const Origin& origin, const IntakeOptions& options,
                         const std::string& joined) {
  const TextPlace text_place = options.text;
  Utterance utterance;
  utterance.dataset = origin.dataset;
  utterance.given = origin.given;
  manifest::SampleRecord& record = utterance.record;
  utterance.has_text = !roles.text.empty();
  utterance.text_cleaned =
      roles.transcript != nullptr && shard::is_unclean(base::as_text(roles.transcript->bytes), roles.text);
  if (text_place != TextPlace::members) record.text = roles.text;
  record.duration_seconds = info.seconds();
  record.key = written_key(origin.dataset_name, part.key, options);
  record.dataset = origin.dataset_name;
  record.audio = info;
  record.audio_bytes = roles.audio->bytes.size();
  record.xxh3 = base::xxh3_128(roles.audio->bytes);
  record.source = origin.source;
  record.source_key = sample.sample.key;
  record.facts = sample.facts;
  if (sample.listed) keep_origin(*sample.listed, record);
  record.facts = merged_facts(record.facts, joined);
  if (part.channel)
    record.facts = merged_facts(record.facts, fmt::format(R"("source_channel":{})", *part.channel));
  utterance.subset = source::subset_in(record.facts);
  utterance.is_published = origin.is_published;
  utterance.is_text_told_late = origin.is_text_told_late;
  utterance.teller = origin.teller;
  shard::SampleParts to_pack{.key = record.key,
                             .transcript = std::nullopt,
                             .audio_extension = roles.audio->extension,
                             .audio = roles.audio->bytes,
                             .extras = roles.extras};
  const bool has_transcript = roles.transcript != nullptr || !roles.text.empty();
  if (text_place == TextPlace::manifest) {
    to_pack.extras = {};
  } else if (has_transcript) {
    to_pack.transcript = base::as_bytes(roles.text);
  }
  utterance.packed = shard::pack(to_pack);
  record.audio_filepath = utterance.packed.audio_name;
  return utterance;
}

/// False if a rule of the user finds no speaker. `key`: that of the source, with the name of a channel.
bool set_speaker(const SpeakerRules& rules, const std::string& key, manifest::SampleRecord& record) {
  const FoundSpeaker found = find_speaker(rules, record.dataset, record.facts, key, record.source);
  if (!found.name.empty())
    record.facts = merged_facts(record.facts, source::Facts().text("speaker", found.name).members());
  return !found.is_missing;
}

/// What the tables say of a part. Of a channel, a row with its own key knows better than one of the whole
/// recording.
JoinedFields join(const shard::GroupedSample& sample, const Part& part, const Origin& origin,
                  const IntakeOptions& options) {
  if (options.tables.empty()) return {};
  const std::string_view listed =
      sample.listed ? std::string_view(sample.listed->source_key) : std::string_view();
  JoinedFields whole = fields_in(options.tables, origin.dataset_name, sample.sample.key, listed);
  if (!part.channel) return whole;
  JoinedFields own = fields_in(options.tables, origin.dataset_name, part.key, {});
  if (own.text.empty() && own.conflict.empty()) {
    own.conflict = std::move(whole.conflict);
    own.text = std::move(whole.text);
    own.is_of_whole = true;
  }
  own.facts = merged_facts(whole.facts, own.facts);
  return own;
}

audio::WantedForm form_of(const Part& part, audio::WantedForm form) {
  form.splits_channels = false;
  if (part.channel) form.one_channel = part.channel;
  return form;
}

Measured rejected(const shard::GroupedSample& sample, const Roles& roles, const Origin& origin,
                  RejectReason reason, std::string problem) {
  Reject reject = reject_of(sample, origin, reason, std::move(problem));
  reject.member = roles.audio->name;
  return {.outcome = std::move(reject)};
}

/// Of samples that say it themselves; those of corpora are chosen by their texts. `joined`: facts from tables
/// of the user.
std::optional<Reject> find_other_subset(const shard::GroupedSample& sample, const std::string& joined,
                                        const Origin& origin, const IntakeOptions& options) {
  const std::string& own = sample.listed ? sample.listed->facts : sample.facts;
  const std::string& facts = source::subset_in(joined).empty() ? own : joined;
  if (origin.is_published || !source::is_of_other_subset(facts, options.tree.subsets)) return std::nullopt;
  const std::string_view subset = source::subset_in(facts);
  return reject_of(sample, origin, RejectReason::other_subset,
                   subset.empty() ? "it says no subset, and counts as training data"
                                  : fmt::format("it is in the subset '{}'", printable(subset)));
}

/// Of a whole file. A piece knows it from its recording.
bool has_odd_length(const shard::GroupedSample& sample, const AudioInfo& info) {
  return sample.published_seconds != 0 && match_length(sample.published_seconds, info) != LengthMatch::same;
}

/// `roles`: of the sample; its audio is changed.
Measured measure_part(const shard::GroupedSample& sample, const Part& part, Roles& roles,
                      audio::ProbeResult& probed, const Origin& origin, const IntakeOptions& options) {
  const std::string text_in_source = roles.text;
  JoinedFields joined = join(sample, part, origin, options);
  if (auto reject = find_other_subset(sample, joined.facts, origin, options))
    return {.outcome = std::move(*reject)};
  if (!joined.conflict.empty())
    return {.outcome = reject_of(sample, origin, RejectReason::bad_text, std::move(joined.conflict))};
  if (!joined.text.empty()) {
    roles.text = joined.text;
    roles.transcript = nullptr;
  }
  if (auto reject = find_bad_json(sample, roles, joined, origin)) return {.outcome = std::move(*reject)};
  if (auto problem = sample.listed ? std::string() : fault_of_text(roles); !problem.empty())
    return {.outcome = reject_of(sample, origin, RejectReason::bad_text, std::move(problem))};
  if (auto why =
          find_filter({.seconds = probed.info.seconds(), .has_text = !roles.text.empty()}, options.filters))
    return {.outcome = reject_of(sample, origin, why->first, std::move(why->second))};
  if (sample.listed) {
    if (auto problem = differs_from(*sample.listed, roles, text_in_source); !problem.empty())
      return {.outcome = reject_of(sample, origin, RejectReason::damaged_source, std::move(problem))};
  }
  // Only of audio that is taken as a whole: what a finished dataset says of it is not true of a channel.
  const manifest::SampleRecord* const listed = part.channel ? nullptr : sample.listed.get();
  AudioInfo info = probed.info;
  Recast recast = pipeline::recast(*roles.audio, info, form_of(part, options.form), probed.decoded.get());
  if (!recast.problem.empty())
    return rejected(sample, roles, origin, RejectReason::bad_audio, std::move(recast.problem));
  if (auto why = find_filter({.quality = recast.heard.quality}, options.filters))
    return {.outcome = reject_of(sample, origin, why->first, std::move(why->second))};

  Utterance utterance = make_utterance(sample, part, roles, info, origin, options, joined.facts);
  utterance.reencoded = recast.source_xxh3.has_value() && !recast.mended;
  set_heard(recast, listed, utterance.record);
  if (!utterance.record.source_xxh3) utterance.record.source_xxh3 = recast.source_xxh3;
  if (auto problem = find_long_line(utterance.record, roles.text))
    return {.outcome = reject_of(sample, origin, RejectReason::too_large, std::move(*problem))};
  std::vector<std::string_view> warnings = warnings_about(probed, recast);
  if (sample.has_odd_recording || has_odd_length(sample, probed.info))
    warnings.emplace_back("odd_recording_length");
  if (sample.has_odd_channels ||
      (sample.published_channels != 0 && sample.published_channels != probed.info.channels))
    warnings.emplace_back("odd_recording_channels");
  if (sample.is_trimmed) warnings.emplace_back("trimmed_segment");
  if (sample.is_cut_to_seconds) warnings.emplace_back("cut_to_duration");
  if (!sample.text_doubt.empty()) warnings.push_back(sample.text_doubt);
  add_warning_about_json(roles, warnings);
  const bool is_spoken_by_somebody = set_speaker(options.speakers, part.key, utterance.record);
  if (!is_spoken_by_somebody) warnings.emplace_back("no_speaker_found");
  const std::string& facts = utterance.record.facts;
  if (options.needs_speakers && options.on_error == OnError::skip && shard::speaker_in(facts).empty()) {
    return rejected(sample, roles, origin, RejectReason::no_speaker,
                    fmt::format("the speaker {}", shard::why_no_speaker(facts)));
  }
  if (part.channel && utterance.has_text && (joined.text.empty() || joined.is_of_whole))
    warnings.emplace_back("text_of_all_channels");
  return {.outcome = std::move(utterance),
          .warnings = std::move(warnings),
          .clipped = recast.clipped,
          .left_members = roles.left_members};
}

std::vector<Measured> one(Measured&& measured) {
  std::vector<Measured> all;
  all.push_back(std::move(measured));
  return all;
}

}  // namespace

std::vector<Measured> measure(shard::GroupedSample&& sample, const Origin& origin,
                              const IntakeOptions& options) {
  if (auto why = options.keys.find(sample.sample.key))
    return one({.outcome = reject_of(sample, origin, why->first, std::move(why->second))});
  Roles roles = roles_of(sample.sample);
  if (auto reject = find_fault(sample, roles, origin)) return one({.outcome = std::move(*reject)});
  if (roles.transcript != nullptr)
    roles.text = shard::clean_transcript(base::as_text(roles.transcript->bytes));
  const std::string text_field =
      sample.listed ? std::string() : options.tree.text_field_of(origin.dataset_name);
  if (!sample.listed) add_metadata(sample, roles, text_field);
  if (options.text == TextPlace::manifest) leave_members(roles, text_field);
  audio::ProbeResult probed = audio::probe(roles.audio->bytes);
  if (!probed.usable()) return one(rejected(sample, roles, origin, reason_of(probed.verdict), probed.text));
  if (auto lost = keep_to_length(sample, *roles.audio, probed.info))
    return one(rejected(sample, roles, origin, lost->first, std::move(lost->second)));
  const std::vector<std::string> keys = part_keys(sample.sample.key, probed.info.channels, options);
  std::vector<Measured> all;
  for (std::uint32_t channel = 0; channel < keys.size(); ++channel) {
    if (keys.size() == 1) {
      all.push_back(measure_part(sample, {.key = keys[0]}, roles, probed, origin, options));
      continue;
    }
    Member audio = *roles.audio;
    Roles own = roles;
    own.audio = &audio;
    all.push_back(
        measure_part(sample, {.key = keys[channel], .channel = channel}, own, probed, origin, options));
  }
  return all;
}

std::vector<Measured> measure(SourceItem&& item, const Origin& origin, const IntakeOptions& options) {
  if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
    if (!sample->listed) return measure(std::move(*sample), origin, options);
    Origin listed = origin;
    listed.dataset_name = sample->listed->dataset;
    return measure(std::move(*sample), listed, options);
  }
  if (const auto* finding = std::get_if<ShardFinding>(&item)) {
    auto reject = reject_of(*finding, origin);
    return reject ? one({.outcome = std::move(*reject)}) : std::vector<Measured>();
  }
  if (auto* lost = std::get_if<Reject>(&item))
    return one({.outcome = reject_of(std::move(*lost), origin, options.keys)});
  return one({.outcome = reject_of(std::get<Damage>(item), origin)});
}

}  // namespace shardmill::pipeline
