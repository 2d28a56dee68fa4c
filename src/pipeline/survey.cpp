#include "pipeline/survey.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "audio/ffmpeg.hpp"
#include "audio/probe.hpp"
#include "audio/recording_reader.hpp"
#include "audio/transform.hpp"
#include "audio/wav.hpp"
#include "base/text/letters.hpp"
#include "pipeline/measure.hpp"

namespace shardmill::pipeline {

namespace {

constexpr unsigned kMostLooks = 12;  // at shards of one kind

/// How much of a file is looked at: up to a number of samples or bytes, whichever comes first, but one sample
/// at least.
struct Enough {
  double samples = 0;
  std::uint64_t plain_bytes = 0;
  static constexpr std::uint64_t kPlainBytesForOne = std::uint64_t{128} << 20;

  static Enough of_one_of(std::size_t files) {
    const auto share = static_cast<std::uint64_t>(std::clamp<std::size_t>(kMostLooks / files, 1, 4));
    return {.samples = static_cast<double>(16 * share), .plain_bytes = share * (std::uint64_t{3} << 20)};
  }
};

/// The forms of audio that were met: format, rate, channels.
using Forms = std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>>;

void note_form(const AudioInfo& audio, Forms& forms) {
  if (!audio.format.empty()) forms.emplace(audio.format, audio.sample_rate, audio.channels);
}

/// What was seen.
struct Seen {
  std::set<std::string> extensions{};
  Forms forms{};
};

/// What was seen of one dataset.
struct Glance {
  double compressed_bytes = 0;  // of the units that were read
  double plain_bytes = 0;
  double sample_tar_bytes = 0;  // of the whole samples in them
  double samples = 0;
  double seconds = 0;
  double packed_bytes = 0;  // of these samples, as they will be written
  Seen audio{};
};

std::string extension_of(const std::string& name) {
  return base::lower(std::string_view(name).substr(name.rfind('.') + 1));
}

std::uint64_t end_of(const shard::GroupedSample& sample) {
  const Member& last = sample.sample.members.back();
  return last.tar_offset + last.bytes.size();
}

using Files = std::vector<const source::SourceFile*>;

/// Stops early in a file that is damaged or strange.
void glance_at(SourceReader& reader, const source::SourceFile& file, const IntakeOptions& options,
               const Enough& enough, base::Reporter& reporter, Glance& glance) {
  SourceParser parser(file, options.key_rule);
  double samples = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t sample_end = 0;
  std::uint64_t late_bytes = 0;
  const auto is_enough = [&] {
    return samples >= enough.samples ||
           plain_bytes >= (sample_end > 0 ? enough.plain_bytes : Enough::kPlainBytesForOne);
  };
  for (bool more = true; more && !is_enough();) {
    reporter.check_stop();
    Unit unit = reader.next();
    if (unit.memory_bytes > kMostGlanceBytes) break;
    unit.prepare();
    for (SourceItem& item : parser.parse(unit)) {
      auto* sample = std::get_if<shard::GroupedSample>(&item);
      if (sample == nullptr) continue;
      sample_end = end_of(*sample);
      for (const Measured& measured : measure(std::move(*sample), Origin{}, options)) {
        const auto* utterance = std::get_if<Utterance>(&measured.outcome);
        if (utterance == nullptr) continue;
        samples += 1;
        glance.seconds += utterance->record.duration_seconds;
        glance.packed_bytes += static_cast<double>(utterance->packed.bytes.size());
        glance.audio.extensions.insert(extension_of(utterance->packed.audio_name));
        note_form(utterance->record.audio, glance.audio.forms);
      }
    }
    plain_bytes = parser.offset();
    glance.compressed_bytes += static_cast<double>(counted_bytes(unit, late_bytes));
    more = !unit.last && !parser.has_lost_rest();
  }
  // All bytes that were counted late have been read.
  glance.compressed_bytes += static_cast<double>(late_bytes);
  glance.samples += samples;
  glance.plain_bytes += static_cast<double>(plain_bytes);
  glance.sample_tar_bytes += static_cast<double>(sample_end);
}

Glance glance_at(const source::SourceFile& file, const IntakeOptions& options, const Enough& enough,
                 base::Reporter& reporter) {
  Glance glance;
  glance_at(*open_source(file), file, options, enough, reporter, glance);
  if (glance.samples == 0 && file.tree) {
    glance = {};
    glance_at(*open_without_texts(file), file, options, enough, reporter, glance);
  }
  return glance;
}

std::uint64_t scaled(double value, double factor) {
  return static_cast<std::uint64_t>(std::llround(value * factor));
}

struct Look {
  const source::SourceFile* shard;
  double bytes;  // of the shards that it stands for
};

/// The shards to look at: all of a few. Of many, more of the large ones, and not at even distances, since
/// what is in them may alternate.
std::vector<Look> looks_at(Files shards) {
  constexpr double kGolden = 0.618034;
  std::ranges::stable_sort(shards, {}, &source::SourceFile::bytes);
  std::vector<Look> looks;
  double all_bytes = 0;
  for (const source::SourceFile* shard : shards) {
    looks.push_back({shard, static_cast<double>(shard->bytes)});
    all_bytes += looks.back().bytes;
  }
  if (looks.size() <= kMostLooks) return looks;
  std::vector<Look> some;
  double end = 0;
  unsigned step = 0;
  for (const Look& each : looks) {
    end += each.bytes;
    for (; step < kMostLooks; ++step) {
      if ((step + std::fmod((step + 1) * kGolden, 1)) / kMostLooks * all_bytes > end) break;
      if (some.empty() || some.back().shard != each.shard) some.push_back({each.shard, 0});
      some.back().bytes += all_bytes / kMostLooks;
    }
  }
  return some;
}

/// Of shards that are compressed alike. A little of many tells more than much of a few: they may be unlike.
deal::InputEstimate survey_alike(const Files& shards, const IntakeOptions& options, base::Reporter& reporter,
                                 Seen& audio) {
  double samples = 0;
  double seconds = 0;
  double packed_bytes = 0;
  double seen = 0;
  double bytes = 0;
  const auto looks = looks_at(shards);
  for (const Look& look : looks) {
    bytes += look.bytes;
    try {
      Glance glance = glance_at(*look.shard, options, Enough::of_one_of(looks.size()), reporter);
      audio.extensions.merge(glance.audio.extensions);
      audio.forms.merge(glance.audio.forms);
      if (glance.compressed_bytes <= 0 || glance.sample_tar_bytes <= 0) continue;
      const double factor =
          look.bytes * glance.plain_bytes / glance.compressed_bytes / glance.sample_tar_bytes;
      samples += glance.samples * factor;
      seconds += glance.seconds * factor;
      packed_bytes += glance.packed_bytes * factor;
      seen += look.bytes;
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
  if (seen == 0) return {};
  return {.samples = scaled(samples, bytes / seen),
          .seconds = scaled(seconds, bytes / seen),
          .bytes = scaled(packed_bytes, bytes / seen)};
}

/// By the endings of their names: what is named alike is mostly compressed or encoded alike.
std::map<std::string, Files> by_ending(const Files& files) {
  constexpr std::size_t kLongest = 5;
  std::map<std::string, Files> alike;
  for (const source::SourceFile* file : files) {
    std::string ending = extension_of(file->path);
    if (ending.size() > kLongest || ending.find('/') != std::string::npos) ending.clear();
    alike[ending].push_back(file);
  }
  return alike;
}

/// Some of the recordings, evenly spaced.
Files some_of(const Files& files, std::size_t most) {
  Files some;
  const std::size_t count = std::min(files.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const source::SourceFile* const file = files[i * files.size() / count];
    if (file->kind == source::SourceKind::recording) some.push_back(file);
  }
  return some;
}

/// See CorpusUtterance; 0 for files with headers.
std::uint32_t headerless_hz(const source::SourceFile& file) {
  return file.utterances.empty() ? 0 : file.utterances.front().headerless_hz;
}

/// True for files that the survey does not read, because ffmpeg would have to decode all of each: all but a
/// few small ones. `read` counts those.
bool is_too_slow(const source::SourceFile& file, std::size_t& read) {
  constexpr std::size_t kMost = 4;
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  if (audio::foreign_kind(base::File::open_read(file.path)).empty()) return false;
  return file.bytes > kMostBytes || ++read > kMost;
}

/// How many seconds of audio a byte holds, for audio whose length the corpus does not tell. Measured in up to
/// 64 of the files.
double seconds_per_byte(const Files& recordings, base::Reporter& reporter) {
  double bytes = 0;
  double seconds = 0;
  std::size_t read = 0;
  bool is_left_out = false;
  for (const source::SourceFile* file : some_of(recordings, 64)) {
    reporter.check_stop();
    if (const std::uint32_t rate = headerless_hz(*file); rate != 0) {
      bytes += static_cast<double>(file->bytes);
      seconds += static_cast<double>(file->bytes) / (2.0 * rate);
      continue;
    }
    try {
      if (is_too_slow(*file, read)) {
        is_left_out = true;
        continue;
      }
      const AudioInfo audio = audio::RecordingReader(file->path).info();
      if (audio.frames == 0) continue;
      bytes += static_cast<double>(file->bytes);
      seconds += audio.seconds();
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
  constexpr double kLossyBytesPerSecond = 8000;
  if (bytes == 0 && is_left_out) return 1 / kLossyBytesPerSecond;
  return bytes > 0 ? seconds / bytes : 0;
}

/// What the corpus says of the length of an utterance; 0: nothing.
double said_seconds(const source::CorpusUtterance& utterance) {
  if (utterance.end_seconds != source::CorpusUtterance::kToTheEnd)
    return utterance.end_seconds - utterance.begin_seconds;
  return std::max(utterance.seconds, 0.0);
}

/// Whether the recording is one utterance.
bool is_whole(const source::SourceFile& file) {
  return file.late ? file.late->is_whole : file.utterances.front().is_whole();
}

/// How many bytes a second of audio takes that is cut or encoded again, measured in the first ten seconds of
/// up to 16 of the files.
double bytes_per_second(const Files& recordings, const audio::WantedForm& form, base::Reporter& reporter) {
  constexpr std::uint64_t kGlanceSeconds = 10;
  double bytes = 0;
  double seconds = 0;
  std::size_t read = 0;
  bool is_left_out = false;
  for (const source::SourceFile* file : some_of(recordings, 16)) {
    reporter.check_stop();
    try {
      if (is_too_slow(*file, read)) {
        is_left_out = true;
        continue;
      }
      audio::RecordingReader reader(file->path);
      const audio::Pcm pcm = reader.read(0, kGlanceSeconds * reader.info().sample_rate);
      // Whole FLAC files stay FLAC where nothing else is wanted; segments become WAV.
      const bool stays_flac = reader.info().format.starts_with("flac/") && is_whole(*file);
      audio::WantedForm wanted = form;
      if (wanted.container == audio::WantedForm::Container::keep && stays_flac)
        wanted.container = audio::WantedForm::Container::flac;
      const Bytes wav = audio::encode_wav(pcm);
      const auto transformed = audio::transform(wav, audio::probe(wav).info, wanted);
      bytes += static_cast<double>(transformed ? transformed->bytes.size() : wav.size());
      seconds += static_cast<double>(pcm.frames()) / pcm.sample_rate;
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
  constexpr double kSpeechBytesPerSecond = 32000;
  if (seconds == 0 && is_left_out) return kSpeechBytesPerSecond;
  return seconds > 0 ? bytes / seconds : 0;
}

/// How many samples a recording becomes where each channel is one, on average.
double channels_of(const Files& recordings, base::Reporter& reporter) {
  double channels = 0;
  double files = 0;
  std::size_t read = 0;
  for (const source::SourceFile* file : some_of(recordings, 16)) {
    reporter.check_stop();
    try {
      if (headerless_hz(*file) != 0 || is_too_slow(*file, read)) continue;
      channels += audio::RecordingReader(file->path).info().channels;
      files += 1;
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
  return files > 0 ? channels / files : 1;
}

/// How long recordings are of which segments are cut: by their headers, or for commands by what most of their
/// segments are like. A row of a table may say anything.
class Lengths {
 public:
  explicit Lengths(const Files& recordings) {
    std::vector<double> segments;
    for (const source::SourceFile* file : recordings) {
      if (file->kind != source::SourceKind::command) continue;
      for (const source::CorpusUtterance& utterance : file->utterances)
        segments.push_back(said_seconds(utterance));
    }
    if (segments.empty()) return;
    const auto middle = segments.begin() + static_cast<std::ptrdiff_t>(segments.size() / 2);
    std::ranges::nth_element(segments, middle);
    if (*middle > 0) most_of_command_ = kMostTimesMedian * *middle;
  }

  /// Whether a segment may be there. To be asked for all segments of a file in a row.
  bool holds(const source::SourceFile& file, const source::CorpusUtterance& utterance) {
    constexpr double kGrace = 0.1;
    if (utterance.end_seconds == source::CorpusUtterance::kToTheEnd) return true;
    if (file.kind == source::SourceKind::command) return said_seconds(utterance) <= most_of_command_;
    if (&file != file_) length_ = length_of(file);
    file_ = &file;
    return utterance.end_seconds <= length_ + kGrace;
  }

 private:
  double length_of(const source::SourceFile& file) {
    if (headers_ == 0 || headerless_hz(file) != 0) return kUnknown;
    --headers_;
    try {
      if (!audio::foreign_kind(base::File::open_read(file.path)).empty()) return kUnknown;
      const AudioInfo info = audio::RecordingReader(file.path).info();
      return info.frames == 0 ? kUnknown : info.seconds();
    } catch (const Error&) {
      return kUnknown;  // The run reports this when the turn of the file comes.
    }
  }

  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  static constexpr double kMostTimesMedian = 30;

  int headers_ = 2000;
  double most_of_command_ = kUnknown;
  const source::SourceFile* file_ = nullptr;
  double length_ = kUnknown;
};

/// Of recordings that are encoded alike.
deal::InputEstimate survey_recordings(const Files& recordings, const audio::WantedForm& form,
                                      base::Reporter& reporter) {
  constexpr double kTarOverheadBytes = 1536;  // a transcript and two headers
  double samples = 0;
  double seconds = 0;
  double bytes = 0;
  double bytes_of_unknown = 0;  // of files whose length the corpus does not tell
  double bytes_of_rests = 0;    // of files of which one utterance is all from its beginning on
  double before_rests = 0;      // seconds
  double seconds_written_anew = 0;
  Lengths lengths(recordings);
  for (const source::SourceFile* file : recordings) {
    if (file->late) {
      samples += static_cast<double>(file->late->samples);
      const bool is_copied = file->late->is_whole && !form.given();
      seconds += file->late->seconds;
      if (file->late->is_whole && file->late->seconds == 0)
        bytes_of_unknown += static_cast<double>(file->bytes);
      (is_copied ? bytes : seconds_written_anew) +=
          is_copied ? static_cast<double>(file->bytes) : file->late->seconds;
    }
    for (const source::CorpusUtterance& utterance : file->utterances) {
      if (!lengths.holds(*file, utterance)) continue;
      samples += 1;
      const double said = said_seconds(utterance);
      const bool is_copied = utterance.is_whole() && !form.given();
      seconds += said;
      if (said == 0)
        (utterance.is_whole() ? bytes_of_unknown : bytes_of_rests) += static_cast<double>(file->bytes);
      if (said == 0) before_rests += utterance.begin_seconds;
      if (is_copied) bytes += static_cast<double>(file->bytes);
      if (!is_copied) seconds_written_anew += said;
    }
  }
  if (bytes_of_unknown + bytes_of_rests > 0) {
    const double each_byte = seconds_per_byte(recordings, reporter);
    const double rests = std::max(bytes_of_rests * each_byte - before_rests, 0.0);
    seconds += bytes_of_unknown * each_byte + rests;
    seconds_written_anew += rests + (form.given() ? bytes_of_unknown * each_byte : 0);
  }
  if (seconds_written_anew > 0) bytes += seconds_written_anew * bytes_per_second(recordings, form, reporter);
  const double parts = form.splits_channels ? channels_of(recordings, reporter) : 1;
  bytes += parts * samples * kTarOverheadBytes;
  return {.samples = scaled(samples, parts), .seconds = scaled(seconds, parts), .bytes = scaled(bytes, 1)};
}

/// How the audio of recordings will be written. Audio that is cut or brought to another rate becomes WAV, but
/// whole FLAC files that are brought to another rate stay FLAC.
std::set<std::string> extensions_of(const Files& recordings, const audio::WantedForm& form) {
  using Container = audio::WantedForm::Container;
  std::set<std::string> extensions;
  for (const source::SourceFile* file : recordings) {
    if (file->kind != source::SourceKind::recording || (file->utterances.empty() && !file->late)) continue;
    const bool is_cut = !is_whole(*file);
    if (form.container == Container::keep && !is_cut) {
      extensions.insert(headerless_hz(*file) != 0 ? "wav" : extension_of(file->path));
    } else {
      extensions.insert(form.container == Container::flac ? "flac" : "wav");
    }
  }
  return extensions;
}

/// The form that the audio of a recording will be written in.
AudioInfo written_form(const source::SourceFile& file, audio::WantedForm form) {
  audio::RecordingReader reader(file.path);
  AudioInfo info = reader.info();
  if (!is_whole(file) || form.given()) {
    if (form.container == audio::WantedForm::Container::keep && is_whole(file) &&
        info.format.starts_with("flac/"))
      form.container = audio::WantedForm::Container::flac;
    const Bytes wav = audio::encode_wav(reader.read(0, info.sample_rate / 10));
    info = audio::probe(wav).info;
    const auto transformed = audio::transform(wav, info, form);
    if (transformed && !transformed->is_unchanged) info = transformed->info;
  }
  if (form.splits_channels) info.channels = 1;
  return info;
}

/// Adds the forms that some recordings will be written in.
void note_forms(const Files& recordings, const IntakeOptions& options, base::Reporter& reporter,
                Forms& forms) {
  std::size_t read = 0;
  for (const source::SourceFile* file : some_of(recordings, 64)) {
    reporter.check_stop();
    try {
      const bool is_wanted = std::ranges::any_of(
          file->utterances, [&](const auto& utterance) { return options.keys.wants(utterance.key); });
      if (is_wanted && headerless_hz(*file) == 0 && !is_too_slow(*file, read))
        note_form(written_form(*file, options.form), forms);
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
}

/// How many times the samples of a stream are taken, on average.
struct Weight {
  double of_samples = 1;
  double of_seconds = 1;
};

/// The shards of a finished dataset tell how much of each dataset is in them.
Weight weight_of(const InputStream& stream, const std::vector<DatasetInput>& datasets) {
  std::map<std::string, double> weights;
  for (const std::uint32_t number : stream.datasets) weights[datasets[number].name] = datasets[number].weight;
  if (weights.size() == 1) return {weights.begin()->second, weights.begin()->second};
  manifest::ShardRecord::Share all;
  Weight weighted{0, 0};
  for (const source::SourceFile& file : stream.files) {
    if (!file.listing) continue;
    for (const auto& share : file.listing->record.shares) {
      const auto weight = weights.find(share.dataset);
      if (weight == weights.end()) continue;
      all.samples += share.samples;
      all.seconds += share.seconds;
      weighted.of_samples += weight->second * static_cast<double>(share.samples);
      weighted.of_seconds += weight->second * share.seconds;
    }
  }
  if (all.samples == 0 || all.seconds <= 0) return {};
  return {weighted.of_samples / static_cast<double>(all.samples), weighted.of_seconds / all.seconds};
}

}  // namespace

Survey survey(const Inputs& inputs, const IntakeOptions& given, base::Reporter& reporter) {
  IntakeOptions options = given;
  options.needs_speakers = false;  // rules for speakers go by datasets, which a glance does not know
  Survey found;
  Seen audio;
  for (const InputStream& stream : inputs.streams) {
    Files shards;
    Files recordings;
    for (const source::SourceFile& file : stream.files)
      (file.kind == source::SourceKind::shard ? shards : recordings).push_back(&file);
    std::vector<deal::InputEstimate> kinds;
    for (const auto& [ending, alike] : by_ending(shards))
      kinds.push_back(survey_alike(alike, options, reporter, audio));
    for (const auto& [ending, alike] : by_ending(recordings)) {
      kinds.push_back(survey_recordings(alike, options.form, reporter));
      note_forms(alike, options, reporter, audio.forms);
    }
    const deal::InputEstimate once = sum(kinds);
    audio.extensions.merge(extensions_of(recordings, options.form));
    const Weight weight = weight_of(stream, inputs.datasets);
    found.estimates.push_back({.samples = scaled(static_cast<double>(once.samples), weight.of_samples),
                               .seconds = scaled(static_cast<double>(once.seconds), weight.of_seconds),
                               .bytes = scaled(static_cast<double>(once.bytes), weight.of_seconds)});
  }
  found.audio_extensions = std::move(audio.extensions);
  for (const auto& [format, rate, channels] : audio.forms)
    found.audio.push_back({.format = format, .sample_rate = rate, .channels = channels});
  return found;
}

deal::InputEstimate sum(const std::vector<deal::InputEstimate>& estimates) {
  deal::InputEstimate total;
  for (const deal::InputEstimate& each : estimates) {
    total.samples += each.samples;
    total.seconds += each.seconds;
    total.bytes += each.bytes;
  }
  return total;
}

}  // namespace shardmill::pipeline
