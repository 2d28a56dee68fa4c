#include "pipeline/intake/archive_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "audio/probe.hpp"
#include "audio/recording_reader.hpp"
#include "pipeline/intake/corpus_sample.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

namespace {

using source::CorpusUtterance;

/// The extension of the audio member: that of the file's name, or else one that fits the content.
std::string extension_of(const std::string& place, std::span<const std::byte> audio) {
  const std::size_t dot = place.rfind('.');
  if (dot != std::string::npos) {
    const auto split = shard::split_name("key" + place.substr(dot), shard::KeyRule::wenet);
    if (split && shard::is_audio_extension(split->extension)) return split->extension;
  }
  const std::string format = audio::probe(audio).info.format;
  return format.empty() ? "wav" : format.substr(0, format.find('/'));
}

/// Lets a reject say where in the archive the file stood.
void set_place(SourceItem& item, std::uint64_t end_offset) {
  auto* sample = std::get_if<shard::GroupedSample>(&item);
  if (sample == nullptr) return;
  Member& last = sample->sample.members.back();
  last.tar_offset = end_offset - std::min<std::uint64_t>(end_offset, last.bytes.size());
  sample->begin_offset = last.tar_offset;
}

}  // namespace

void ArchiveBatch::add(ArchivedAudio audio) {
  if (audio.bytes) bytes_ += audio.bytes->size();
  entries_.emplace_back(std::move(audio));
}

void ArchiveBatch::prepare() {
  for (auto& entry : entries_) {
    if (auto* item = std::get_if<SourceItem>(&entry)) {
      items_.push_back(std::move(*item));
      continue;
    }
    auto& audio = std::get<ArchivedAudio>(entry);
    const std::size_t before = items_.size();
    const bool is_whole = std::all_of(audio.utterances.begin(), audio.utterances.end(),
                                      [](const CorpusUtterance& each) { return each.is_whole(); });
    try {
      is_whole ? take_whole(audio) : cut(audio);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      for (std::size_t done = items_.size() - before; done < audio.utterances.size(); ++done) {
        items_.emplace_back(lost_utterance(std::string(audio.utterances[done].key),
                                           manifest::RejectReason::bad_audio, error.problem()));
      }
    }
    for (std::size_t i = before; i < items_.size(); ++i) set_place(items_[i], audio.end_offset);
    audio = {};
  }
  entries_.clear();
}

void ArchiveBatch::take_whole(ArchivedAudio& audio) {
  if (audio.file) {
    for (const CorpusUtterance& utterance : audio.utterances) {
      items_.emplace_back(
          lost_utterance(std::string(utterance.key), manifest::RejectReason::too_large,
                         fmt::format("has more than the {} bytes a sample may have", kMemberLimitBytes)));
    }
    return;
  }
  const std::string extension = audio.utterances.front().headerless_hz != 0
                                    ? std::string("wav")
                                    : extension_of(audio.place, *audio.bytes);
  for (std::size_t i = 0; i < audio.utterances.size(); ++i) {
    const bool is_last = i + 1 == audio.utterances.size() && audio.bytes.use_count() == 1;
    Bytes bytes = is_last ? std::move(*audio.bytes) : *audio.bytes;
    items_.emplace_back(corpus_sample(audio.utterances[i], std::move(bytes), extension));
  }
}

audio::RecordingReader ArchiveBatch::open(ArchivedAudio& audio) {
  if (audio.file) return audio::RecordingReader(audio.file->duplicate());
  Bytes bytes = audio.bytes.use_count() == 1 ? std::move(*audio.bytes) : *audio.bytes;
  return {std::move(bytes), audio.place};
}

void ArchiveBatch::cut(ArchivedAudio& audio) {
  audio::RecordingReader recording = open(audio);
  for (const CorpusUtterance& utterance : audio.utterances)
    items_.push_back(cut_sample(recording, utterance));
}

}  // namespace shardmill::pipeline
