#include "pipeline/intake/corpus_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"
#include "audio/wav.hpp"
#include "base/text/units.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

namespace {

using manifest::RejectReason;
using source::CorpusUtterance;

/// A segment may end this long after its recording, and is cut there, because corpora round their times.
constexpr double kGraceSeconds = 0.05;
/// What two decimals cannot tell is not worth a word.
constexpr double kRoundingSeconds = 0.01;

/// The place of the segment in its recording, followed by the other facts about it.
std::string facts_of(const CorpusUtterance& utterance) {
  const std::string facts(utterance.facts);
  return utterance.is_whole() ? facts
                              : facts_with_place(utterance.begin_seconds, utterance.end_seconds, facts);
}

audio::Pcm one_channel(const audio::Pcm& pcm, std::uint64_t channel) {
  const std::size_t value_bytes = audio::value_bytes(pcm.encoding);
  audio::Pcm one{.encoding = pcm.encoding, .sample_rate = pcm.sample_rate, .channels = 1, .data = {}};
  one.data.reserve(pcm.frames() * value_bytes);
  for (std::size_t at = channel * value_bytes; at < pcm.data.size(); at += pcm.frame_bytes())
    one.data.insert(one.data.end(), pcm.data.begin() + static_cast<std::ptrdiff_t>(at),
                    pcm.data.begin() + static_cast<std::ptrdiff_t>(at + value_bytes));
  return one;
}

/// Where the headers of the recording give a length.
bool has_odd_length(const AudioInfo& recording, const CorpusUtterance& utterance) {
  if (recording.frames == 0 || utterance.recording_seconds == 0 || utterance.keeps_to_seconds) return false;
  return match_length(utterance.recording_seconds, recording) != LengthMatch::same;
}

SourceItem cut(audio::RecordingReader& recording, const CorpusUtterance& utterance) {
  const std::uint32_t rate = recording.info().sample_rate;
  const auto frame_at = [rate](double seconds) { return base::rounded_product(seconds, rate); };
  const auto lost = [&utterance](RejectReason reason, std::string problem) {
    if (!utterance.named_in.empty()) problem += fmt::format(" (see {})", printable(utterance.named_in));
    return lost_utterance(std::string(utterance.key), reason, std::move(problem));
  };
  // Of unpacked corpora this is known beforehand.
  if (!(utterance.begin_seconds >= 0 && utterance.begin_seconds < utterance.end_seconds)) {
    return lost(RejectReason::bad_segment, fmt::format("would begin at {} s and end at {} s",
                                                       utterance.begin_seconds, utterance.end_seconds));
  }
  if (utterance.channel && *utterance.channel >= recording.info().channels) {
    return lost(RejectReason::bad_segment, has_no_channel(*utterance.channel, recording.info().channels));
  }
  const bool to_the_end = utterance.end_seconds == CorpusUtterance::kToTheEnd;
  const std::uint64_t begin = frame_at(utterance.begin_seconds);
  const std::uint64_t most_frames = kMemberLimitBytes / recording.frame_bytes();
  // Enough to see whether the recording is clearly longer than the corpus says.
  const double enough_seconds = utterance.seconds + 2 * length_tolerance(utterance.seconds);
  const std::uint64_t end = !to_the_end                  ? frame_at(utterance.end_seconds)
                            : utterance.keeps_to_seconds ? frame_at(enough_seconds)
                                                         : begin + most_frames + 1;
  if (begin == end) {
    return lost(RejectReason::bad_segment, fmt::format("holds no frame: from {} s to {} s at {} Hz",
                                                       utterance.begin_seconds, utterance.end_seconds, rate));
  }
  const audio::Pcm pcm = recording.read(begin, std::min(end, begin + most_frames + 1));
  const std::uint64_t frames = pcm.frames();
  if (frames > most_frames) {
    return lost(RejectReason::too_large,
                fmt::format("is a segment of more than the {} bytes a sample may have", kMemberLimitBytes));
  }
  if (frames == 0) {
    return lost(RejectReason::bad_segment,
                fmt::format("begins at {} s, where its recording has ended", utterance.begin_seconds));
  }
  if (!to_the_end && begin + frames + frame_at(kGraceSeconds) < end) {
    return lost(RejectReason::bad_segment,
                ends_after_recording(utterance.end_seconds, static_cast<double>(begin + frames) / rate));
  }
  if (to_the_end && !utterance.keeps_to_seconds && !recording.missing_end().empty()) {
    return lost(RejectReason::truncated_audio,
                fmt::format("goes on to the end of its recording, and of that {}", recording.missing_end()));
  }
  auto sample = corpus_sample(
      utterance, audio::encode_wav(utterance.channel ? one_channel(pcm, *utterance.channel) : pcm), "wav");
  sample.has_odd_recording = has_odd_length(recording.info(), utterance);
  sample.has_odd_channels =
      utterance.recording_channels != 0 && utterance.recording_channels != recording.info().channels;
  sample.published_channels = 0;  // those of the sample may be fewer
  sample.is_trimmed = !to_the_end && begin + frames + frame_at(kRoundingSeconds) < end;
  return sample;
}

/// As WAV, unless it is one in spite of its name. Some files of KsponSpeech end with half a value, which
/// every reader drops.
Bytes with_header(Bytes&& values, std::uint32_t sample_rate) {
  const audio::ByteView bytes(values);
  if (bytes.has(0, "RIFF") && bytes.has(8, "WAVE")) return std::move(values);
  values.resize(values.size() - values.size() % 2);
  return audio::encode_wav({.encoding = audio::PcmEncoding::pcm16,
                            .sample_rate = sample_rate,
                            .channels = 1,
                            .data = std::move(values),
                            .clipped = 0});
}

}  // namespace

shard::GroupedSample corpus_sample(const CorpusUtterance& utterance, Bytes audio,
                                   const std::string& extension) {
  shard::GroupedSample sample;
  const std::string key(utterance.key);
  sample.sample.key = key;
  sample.facts = facts_of(utterance);
  sample.text_doubt = utterance.text_doubt;
  sample.published_channels = utterance.recording_channels;
  if (utterance.keeps_to_seconds) sample.keeps_to_seconds = utterance.seconds;
  if (utterance.is_whole() && !utterance.keeps_to_seconds)
    sample.published_seconds = utterance.recording_seconds;
  if (utterance.has_text) {
    const auto text = base::as_bytes(utterance.text);
    sample.sample.members.push_back(
        {.name = key + ".txt", .extension = "txt", .bytes = Bytes(text.begin(), text.end())});
  }
  sample.sample.members.push_back(
      {.name = key + "." + extension, .extension = extension, .bytes = std::move(audio)});
  if (utterance.headerless_hz != 0 && utterance.is_whole()) {
    Member& member = sample.sample.members.back();
    member = {.name = key + ".wav",
              .extension = "wav",
              .bytes = with_header(std::move(member.bytes), utterance.headerless_hz)};
  }
  return sample;
}

SourceItem cut_sample(audio::RecordingReader& recording, const CorpusUtterance& utterance) {
  try {
    return cut(recording, utterance);
  } catch (const Error& error) {
    return lost_utterance(std::string(utterance.key), RejectReason::bad_audio, error.problem());
  }
}

namespace {

/// Makes the header true.
void mend(Member& audio, const AudioInfo& info, Recast& done) {
  auto mended = audio::mended(audio.bytes, info);
  if (!mended) return;
  done.source_xxh3 = base::xxh3_128(audio.bytes);
  done.mended = true;
  audio.bytes = std::move(*mended);
}

}  // namespace

Recast recast(Member& audio, AudioInfo& info, const audio::WantedForm& form, const Bytes* decoded) {
  Recast done;
  if (!form.decodes()) {
    mend(audio, info, done);
    return done;
  }
  auto transformed = audio::transform(audio.bytes, info, form, decoded);
  if (transformed && !transformed->problem.empty()) {
    done.problem = std::move(transformed->problem);
    return done;
  }
  if (transformed) done.heard = transformed->heard;
  const bool is_changed = transformed && !transformed->is_unchanged;
  if (is_changed) {
    done.source_xxh3 = base::xxh3_128(audio.bytes);
    done.clipped = transformed->clipped;
    done.channels_cancel = transformed->channels_cancel;
    audio.bytes = std::move(transformed->bytes);
    info = std::move(transformed->info);
  }
  if (!is_changed) mend(audio, info, done);
  // Audio that was not changed keeps its name, unless its extension is that of another container.
  if (is_changed || form.container != audio::WantedForm::Container::keep)
    audio.extension = info.format.substr(0, info.format.find('/'));
  return done;
}

}  // namespace shardmill::pipeline
