#include "pipeline/intake/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "audio/probe.hpp"
#include "audio/recording_reader.hpp"
#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "base/system/command.hpp"
#include "base/text/letters.hpp"
#include "pipeline/intake/corpus_sample.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

namespace {

using source::CorpusUtterance;
using source::SourceFile;
using source::SourceKind;

// How much audio one batch should give. Small batches take little memory and keep many threads busy. The
// larger number is the limit for recordings that every batch must decode from the start.
constexpr double kGoodDecodedBytes = 8 << 20;
constexpr double kMostBatchBytes = 192 << 20;

bool all_whole(std::span<const CorpusUtterance> utterances) {
  return std::all_of(utterances.begin(), utterances.end(),
                     [](const CorpusUtterance& utterance) { return utterance.is_whole(); });
}

Bytes read_file(OpenedRecording& opened) {
  const base::File file = opened.handle();
  const std::uint64_t size = file.size();
  if (size > kMemberLimitBytes) {
    throw Error(fmt::format("has {} bytes, more than the {} a sample may have", size, kMemberLimitBytes));
  }
  Bytes bytes(size);
  if (file.read_at(bytes, 0) != size) throw Error("became shorter while it was read", at(file.path()));
  return bytes;
}

Bytes read_audio(const SourceFile& file, OpenedRecording& opened) {
  return file.kind == SourceKind::command ? base::output_of(file.path, kMemberLimitBytes) : read_file(opened);
}

/// The extension of the audio member: that of the file's name, or else one that fits the content.
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

OpenedRecording::OpenedRecording(const source::SourceFile& file) : source_(file) {
  if (!source_.late) return;
  source_.corpus = source_.late->read();
  source_.utterances = source_.corpus->utterances;
}

base::File OpenedRecording::handle() {
  const std::lock_guard lock(mutex_);
  if (!file_.is_open()) {
    base::File file = base::File::open_read(source_.path);
    watch_.emplace(file);
    if (source_.mtime_ns != 0) watch_->expect(source_.bytes, source_.mtime_ns);
    file_ = std::move(file);
  }
  return file_.duplicate();
}

audio::RecordingReader OpenedRecording::reader() {
  base::File file = handle();
  const std::lock_guard lock(decoding_);
  if (!readable_.is_open()) readable_ = audio::readable_recording(std::move(file));
  return audio::RecordingReader(readable_.duplicate());
}

void OpenedRecording::check_unchanged() {
  const std::lock_guard lock(mutex_);
  if (watch_) watch_->check();
}

void SegmentBatch::prepare() {
  items_.reserve(utterances_.size());
  try {
    if (all_whole(utterances_)) {
      take_whole();
    } else {
      cut();
    }
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    while (items_.size() < utterances_.size()) {
      items_.emplace_back(lost_utterance(std::string(utterances_[items_.size()].key),
                                         manifest::RejectReason::unreadable_source, error.problem()));
    }
  }
  opened_->check_unchanged();
}

void SegmentBatch::take_whole() {
  const Bytes audio = read_audio(file_, *opened_);
  const std::string extension =
      utterances_.front().headerless_hz != 0 ? std::string("wav") : extension_of(file_, audio);
  for (const CorpusUtterance& utterance : utterances_) {
    items_.emplace_back(corpus_sample(utterance, audio, extension));
  }
}

void SegmentBatch::cut() {
  audio::RecordingReader recording = file_.kind == SourceKind::command
                                         ? audio::RecordingReader(read_audio(file_, *opened_), file_.path)
                                         : opened_->reader();
  for (const CorpusUtterance& utterance : utterances_) items_.push_back(cut_sample(recording, utterance));
}

namespace {

/// How much audio the utterances have in all, as far as the corpus and the name of the file tell.
struct Extent {
  double bytes = 0;      // of all utterances together, decoded
  double overlap = 1;    // how many times as long as the recording they are together: windows may overlap
  bool seekable = true;  // a batch need not decode the audio before it
};

/// How many times larger audio is when it is decoded.
double expansion_of(const std::string& path) {
  const std::string extension = base::lower(std::filesystem::path(path).extension().string());
  constexpr std::array<std::string_view, 7> kPlain{".wav", ".sph", ".aiff", ".aif", ".au", ".caf", ".w64"};
  if (std::find(kPlain.begin(), kPlain.end(), extension) != kPlain.end()) return 1;
  // FLAC makes speech half as large, lossy codecs make it a tenth.
  return extension == ".flac" ? 2 : 12;
}

Extent extent_of(const SourceFile& file) {
  if (all_whole(file.utterances)) return {.bytes = static_cast<double>(file.bytes * file.utterances.size())};
  double cut_seconds = 0;
  double end_seconds = 0;
  for (const CorpusUtterance& utterance : file.utterances) {
    if (utterance.end_seconds == CorpusUtterance::kToTheEnd) continue;
    cut_seconds += utterance.end_seconds - utterance.begin_seconds;
    end_seconds = std::max(end_seconds, utterance.end_seconds);
  }
  constexpr double kSpeechBytesPerSecond = 32000;  // 16 bits at 16 kHz
  const double expansion = expansion_of(file.path);
  const double decoded = file.kind == SourceKind::command ? end_seconds * kSpeechBytesPerSecond
                                                          : static_cast<double>(file.bytes) * expansion;
  const double overlap = cut_seconds > end_seconds ? cut_seconds / end_seconds : 1;
  return {.bytes = decoded * overlap, .overlap = overlap, .seekable = expansion == 1};
}

std::size_t count_batches(const SourceFile& file, const Extent& extent) {
  if (file.kind == SourceKind::command) return 1;
  const double good = extent.bytes / kGoodDecodedBytes + 1;
  // Every batch decodes the recording from its start. When there are as many batches as windows that overlap,
  // this adds about half of the audio that is cut anyway.
  const double cheap = extent.seekable ? good : std::min(good, extent.overlap);
  const double wanted = std::max(cheap, extent.bytes / kMostBatchBytes + 1);
  return std::min(static_cast<std::size_t>(wanted), file.utterances.size());
}

}  // namespace

BatchPlan plan_batches(const SourceFile& file) {
  const Extent extent = extent_of(file);
  const std::size_t count = count_batches(file, extent);
  return {.count = count, .bytes = static_cast<std::uint64_t>(extent.bytes / static_cast<double>(count))};
}

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
