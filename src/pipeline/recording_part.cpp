#include "shardmill/pipeline/recording_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "shardmill/audio/probe.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/base/shell_command.hpp"
#include "shardmill/pipeline/corpus_sample.hpp"
#include "shardmill/shard/key_rule.hpp"

namespace shardmill::pipeline {

namespace {

using source::CorpusUtterance;
using source::SourceFile;
using source::SourceKind;

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
    while (items_.size() < utterances_.size()) {
      items_.emplace_back(LostUtterance{.key = std::string(utterances_[items_.size()].key),
                                        .reason = manifest::RejectReason::unreadable_source,
                                        .problem = error.problem()});
    }
  }
}

void RecordingPart::take_whole() {
  const Bytes audio = read_audio(file_);
  const std::string extension = extension_of(file_, audio);
  for (const CorpusUtterance& utterance : utterances_) {
    items_.emplace_back(corpus_sample(utterance, audio, extension));
  }
}

void RecordingPart::cut() {
  audio::RecordingReader recording = open_recording(file_);
  for (const CorpusUtterance& utterance : utterances_) items_.push_back(cut_sample(recording, utterance));
}

namespace {

/// How many times as much is cut out of a recording as there is of it: windows may overlap.
double overlap_of(std::span<const CorpusUtterance> utterances) {
  double cut_seconds = 0;
  double end_seconds = 0;
  for (const CorpusUtterance& utterance : utterances) {
    if (utterance.end_seconds == CorpusUtterance::kToTheEnd) continue;
    cut_seconds += utterance.end_seconds - utterance.begin_seconds;
    end_seconds = std::max(end_seconds, utterance.end_seconds);
  }
  return cut_seconds > end_seconds ? cut_seconds / end_seconds : 1;
}

}  // namespace

std::size_t parts_of(const SourceFile& file) {
  // FLAC halves speech, lossy codecs make a tenth of it; WAV is what it is.
  const std::string extension = std::filesystem::path(file.path).extension().string();
  const std::uint64_t expansion = extension == ".wav" ? 1 : extension == ".flac" ? 2 : 12;
  if (file.kind == SourceKind::command) return 1;
  const double bytes = static_cast<double>(file.bytes * expansion) * overlap_of(file.utterances);
  const auto wanted = static_cast<std::uint64_t>(bytes / static_cast<double>(kPartBytes)) + 1;
  return std::min<std::uint64_t>(wanted, file.utterances.size());
}

}  // namespace shardmill::pipeline
