#include "shardmill/pipeline/recording_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "shardmill/audio/probe.hpp"
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
    if (utterances_.size() == 1 && utterances_.front().is_whole()) {
      read_whole();
    } else {
      cut();
    }
  } catch (const Error& error) {
    lose_rest(RejectReason::unreadable_source, error.problem());
  }
}

void RecordingPart::read_whole() {
  Bytes audio = read_audio(file_);
  const std::string extension = extension_of(file_, audio);
  add(utterances_.front(), std::move(audio), extension);
}

void RecordingPart::cut() {
  throw Error("segments cannot be cut yet");
}

void RecordingPart::lose_rest(RejectReason reason, const std::string& problem) {
  while (items_.size() < utterances_.size()) {
    items_.emplace_back(LostUtterance{
        .key = std::string(utterances_[items_.size()].key), .reason = reason, .problem = problem});
  }
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
