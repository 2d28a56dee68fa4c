#include "shardmill/pipeline/recording_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "shardmill/audio/probe.hpp"
#include "shardmill/audio/wav_writer.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/base/json_writer.hpp"
#include "shardmill/base/shell_command.hpp"
#include "shardmill/pipeline/source_parser.hpp"
#include "shardmill/shard/key_rule.hpp"

namespace shardmill::pipeline {

namespace {

using manifest::RejectReason;
using source::CorpusUtterance;
using source::SourceFile;
using source::SourceKind;

/// By so much a segment may end behind its recording, and is cut there: times are rounded.
constexpr double kGraceSeconds = 0.05;
constexpr std::uint64_t kPartBytes = std::uint64_t{192} << 20;  // of decoded audio

Bytes read_file(const std::string& path) {
  base::File file = base::File::open_read(path);
  const std::uint64_t size = file.size();
  if (size > kMemberLimitBytes) {
    throw Error(fmt::format("has {} bytes, more than the {} a sample may have", size, kMemberLimitBytes));
  }
  Bytes bytes(size);
  if (file.read(bytes) != size) throw Error("became shorter while it was read", at(path));
  return bytes;
}

Bytes read_audio(const SourceFile& file) {
  return file.kind == SourceKind::command ? base::output_of(file.path, kMemberLimitBytes)
                                          : read_file(file.path);
}

audio::RecordingReader open_recording(const SourceFile& file) {
  if (file.kind == SourceKind::command) return {read_audio(file), file.path};
  return audio::RecordingReader(file.path);
}

/// Of the audio member: what the file is called by, and where that says nothing, what it holds.
std::string extension_of(const SourceFile& file, std::span<const std::byte> audio) {
  if (file.kind == SourceKind::recording) {
    const std::string name = "key" + std::filesystem::path(file.path).extension().string();
    const auto split = shard::split_name(name, shard::KeyRule::wenet);
    if (split && shard::is_audio_extension(split->extension)) return split->extension;
  }
  const std::string format = audio::probe(audio).info.format;
  return format.empty() ? "wav" : format.substr(0, format.find('/'));
}

/// Where in its recording a segment lies, in front of what else is said of it.
std::string facts_of(const CorpusUtterance& utterance) {
  if (utterance.is_whole()) return std::string(utterance.facts);
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("source_begin", utterance.begin_seconds);
  if (utterance.end_seconds != CorpusUtterance::kToTheEnd) json.member("source_end", utterance.end_seconds);
  if (!utterance.facts.empty()) json.members(utterance.facts);
  json.end_object();
  return text.substr(1, text.size() - 2);
}

}  // namespace

void RecordingPart::prepare() {
  items_.reserve(utterances_.size());
  try {
    const auto is_whole = [](const CorpusUtterance& utterance) { return utterance.is_whole(); };
    if (std::all_of(utterances_.begin(), utterances_.end(), is_whole)) {
      take_whole();
    } else {
      cut();
    }
  } catch (const Error& error) {
    while (items_.size() < utterances_.size()) lose(RejectReason::unreadable_source, error.problem());
  }
}

void RecordingPart::take_whole() {
  const Bytes audio = read_audio(file_);
  const std::string extension = extension_of(file_, audio);
  for (const CorpusUtterance& utterance : utterances_) add(utterance, audio, extension);
}

void RecordingPart::cut() {
  audio::RecordingReader recording = open_recording(file_);
  for (const CorpusUtterance& utterance : utterances_) {
    try {
      cut(recording, utterance);
    } catch (const Error& error) {
      lose(RejectReason::bad_audio, error.problem());
    }
  }
}

void RecordingPart::cut(audio::RecordingReader& recording, const CorpusUtterance& utterance) {
  const auto frame_at = [rate = recording.info().sample_rate](double seconds) {
    // Cut off, not rounded, as WeNet's make_shard_list.py does: the same frames come out.
    return static_cast<std::uint64_t>(seconds * rate);
  };
  const bool to_the_end = utterance.end_seconds == CorpusUtterance::kToTheEnd;
  const std::uint64_t begin = frame_at(utterance.begin_seconds);
  const std::uint64_t most_frames = kMemberLimitBytes / recording.frame_bytes();
  const std::uint64_t end = to_the_end ? begin + most_frames + 1 : frame_at(utterance.end_seconds);
  const audio::Pcm pcm = recording.read(begin, std::min(end, begin + most_frames + 1));
  const std::uint64_t frames = pcm.frames();
  if (frames > most_frames) {
    return lose(RejectReason::too_large,
                fmt::format("is a segment of more than the {} bytes a sample may have", kMemberLimitBytes));
  }
  if (frames == 0) {
    return lose(RejectReason::bad_segment,
                fmt::format("begins at {} s, where its recording has ended", utterance.begin_seconds));
  }
  if (!to_the_end && begin + frames + frame_at(kGraceSeconds) < end) {
    return lose(RejectReason::bad_segment,
                fmt::format("ends at {} s, but its recording at {:.3f} s", utterance.end_seconds,
                            static_cast<double>(begin + frames) / recording.info().sample_rate));
  }
  add(utterance, audio::encode_wav(pcm), "wav");
}

void RecordingPart::lose(RejectReason reason, const std::string& problem) {
  items_.emplace_back(LostUtterance{
      .key = std::string(utterances_[items_.size()].key), .reason = reason, .problem = problem});
}

void RecordingPart::add(const CorpusUtterance& utterance, Bytes audio, const std::string& extension) {
  shard::GroupedSample sample;
  const std::string key(utterance.key);
  sample.sample.key = key;
  sample.facts = facts_of(utterance);
  if (utterance.has_text) {
    const auto text = base::as_bytes(utterance.text);
    sample.sample.members.push_back(
        {.name = key + ".txt", .extension = "txt", .bytes = Bytes(text.begin(), text.end())});
  }
  sample.sample.members.push_back(
      {.name = key + "." + extension, .extension = extension, .bytes = std::move(audio)});
  items_.emplace_back(std::move(sample));
}

std::size_t parts_of(const SourceFile& file) {
  // FLAC halves speech, lossy codecs make a tenth of it; WAV is what it is.
  const std::string extension = std::filesystem::path(file.path).extension().string();
  const std::uint64_t expansion = extension == ".wav" ? 1 : extension == ".flac" ? 2 : 12;
  if (file.kind == SourceKind::command) return 1;
  const std::uint64_t wanted = file.bytes * expansion / kPartBytes + 1;
  return std::min<std::uint64_t>(wanted, file.utterances.size());
}

}  // namespace shardmill::pipeline
