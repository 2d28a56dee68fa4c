#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "audio/ffmpeg.hpp"
#include "audio/probe.hpp"
#include "audio/recording_reader.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/measure/filters.hpp"
#include "pipeline/measure/rejects.hpp"
#include "pipeline/measure/speakers.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/source_parser.hpp"
#include "pipeline/utterance.hpp"
#include "shard/sample_text.hpp"
#include "source/archive_entries.hpp"

namespace shardmill::pipeline {

namespace {

/// A sample as far as it is known before it is read.
struct Known {
  std::string dataset;
  std::string key;
  std::string path;
  std::string facts;
  std::string other_key{};  // of another sample of the dataset, if one is known
};

/// Throws Error if it has no speaker.
void check_speaker(const Known& sample, const IntakeOptions& options) {
  const JoinedFields joined = fields_in(options.tables, sample.dataset, sample.key, {});
  const std::string facts = merged_facts(sample.facts, joined.facts);
  FoundSpeaker found;
  for (const std::string& key : possible_keys(sample.key, options)) {
    found = find_speaker(options.speakers, sample.dataset, facts, key, sample.path);
    if (!found.is_missing) break;
  }
  if (!found.name.empty() || (!found.is_missing && !shard::speaker_in(facts).empty())) return;
  throw Error(fmt::format("the speaker of '{}' of {} {}, so speakers cannot be kept apart",
                          printable(sample.key), printable(sample.dataset), shard::why_no_speaker(facts)),
              at(sample.path), speaker_advice(sample.dataset, sample.key, sample.other_key),
              Remedy::split_by_key);
}

/// The first sample of a shard; nullopt if the first few megabytes hold none.
std::optional<Known> first_sample(const source::SourceFile& file, const std::string& dataset,
                                  const IntakeOptions& options) {
  constexpr std::uint64_t kMostPlainBytes = 12 << 20;
  const auto reader = open_source(file);
  SourceParser parser(file, options.key_rule);
  while (parser.offset() < kMostPlainBytes) {
    Unit unit = reader->next();
    if (unit.memory_bytes > kMostGlanceBytes) return std::nullopt;
    unit.prepare();
    for (const SourceItem& item : parser.parse(unit)) {
      const auto* found = std::get_if<shard::GroupedSample>(&item);
      if (found == nullptr || !found->damage.empty() || !options.keys.wants(found->sample.key)) continue;
      Known sample{.dataset = dataset, .key = found->sample.key, .path = file.path, .facts = {}};
      if (found->listed) {
        sample.dataset = found->listed->dataset;
        sample.facts = found->listed->facts;
      }
      for (const Member& member : found->sample.members) {
        if (member.extension != "json") continue;
        const auto more = read_metadata(base::as_text(member.bytes), options.tree.text_field_of(dataset), {});
        if (more) sample.facts = merged_facts(sample.facts, more->facts);
      }
      return sample;
    }
    if (unit.last || parser.has_lost_rest()) return std::nullopt;
  }
  return std::nullopt;
}

/// Whether the speakers of a corpus may be in a table that could not be read, or whose keys are not those of
/// the corpus. That is an error of its own.
bool has_bad_table(const InputStream& stream, const IntakeOptions& options) {
  if (has_unread_table(options.tables, stream.name)) return true;
  const auto fits = [&](const source::CorpusUtterance& utterance, const TableFile& table) {
    const auto keys = possible_keys(utterance.key, options);
    return std::ranges::any_of(keys, [&](const auto& key) { return find_row(table, key, {}).has_value(); });
  };
  return std::ranges::any_of(options.tables, [&](const TableFile& table) {
    if (!table.is_for(stream.name)) return false;
    bool has_utterances = false;
    for (const source::SourceFile& file : stream.files) {
      for (const source::CorpusUtterance& utterance : file.utterances) {
        if (fits(utterance, table)) return false;
        has_utterances = true;
      }
    }
    return has_utterances;
  });
}

/// The key of the sample that stands farthest from the first one, whose speaker is probably another one.
std::string last_key_of(const InputStream& stream) {
  for (auto file = stream.files.rbegin(); file != stream.files.rend(); ++file)
    if (!file->utterances.empty()) return std::string(file->utterances.back().key);
  return {};
}

/// True if a filter leaves the utterance out, by what the corpus says of it.
bool is_left_out(const source::CorpusUtterance& utterance, const IntakeOptions& options) {
  KnownFacts known;
  if (utterance.end_seconds != source::CorpusUtterance::kToTheEnd)
    known.seconds = utterance.end_seconds - utterance.begin_seconds;
  if (options.tables.empty()) known.has_text = utterance.has_text;  // a table may have it
  return find_filter(known, options.filters).has_value();
}

void check_speakers_of(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter) {
  if (has_bad_table(stream, options)) return;
  const std::string last_key = last_key_of(stream);
  bool has_shard = false;
  for (const source::SourceFile& file : stream.files) {
    reporter.check_stop();
    for (const source::CorpusUtterance& utterance : file.utterances) {
      if (!options.keys.wants(utterance.key) || is_left_out(utterance, options)) continue;
      check_speaker({.dataset = stream.name,
                     .key = std::string(utterance.key),
                     .path = file.path,
                     .facts = std::string(utterance.facts),
                     .other_key = utterance.key == last_key ? std::string() : last_key},
                    options);
    }
    const bool is_shard = file.kind == source::SourceKind::shard && !file.corpus && !file.tree;
    if (!is_shard || has_shard || file.listing) continue;
    has_shard = true;
    std::optional<Known> sample;
    try {
      sample = first_sample(file, stream.name, options);
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      continue;  // The run reports this when the turn of the file comes.
    }
    if (sample) check_speaker(*sample, options);
  }
}

/// Throws Error for audio that cannot be used.
void check_file(const source::SourceFile& file) {
  const base::File opened = base::File::open_read(file.path);
  std::vector<std::byte> bytes(opened.size());
  if (opened.read_at(bytes, 0) != bytes.size()) return;
  if (!audio::foreign_kind(bytes).empty()) return;  // ffmpeg may take long.
  const audio::ProbeResult probed = audio::probe(bytes);
  if (!probed.usable()) throw Error(probed.text, at(file.path), Remedy::skip_bad_samples);
}

/// Segments may lie in front of the place where a recording is cut off.
bool is_probed(const source::SourceFile& file) {
  if (file.kind != source::SourceKind::recording || file.utterances.empty()) return false;
  return file.utterances.front().is_whole() && file.utterances.front().headerless_hz == 0;
}

/// Throws Error for a segment that its recording is too short for, by its header.
void check_segments(const source::SourceFile& file) {
  constexpr double kGraceSeconds = 0.1;
  if (!audio::foreign_kind(base::File::open_read(file.path)).empty()) return;
  const AudioInfo info = audio::RecordingReader(file.path).info();
  if (info.frames == 0) return;
  for (const source::CorpusUtterance& utterance : file.utterances) {
    const bool has_end = utterance.end_seconds != source::CorpusUtterance::kToTheEnd;
    const double end = has_end ? utterance.end_seconds : utterance.begin_seconds;
    if (end <= info.seconds() + kGraceSeconds) continue;
    throw Error(ends_after_recording(end, info.seconds()),
                {.path = file.path, .member = std::string(utterance.key)}, Remedy::skip_bad_samples);
  }
}

/// What follows damage in a file is damaged by it, too.
bool is_damage_of_file(manifest::RejectReason reason) {
  return reason == manifest::RejectReason::damaged_source ||
         reason == manifest::RejectReason::truncated_source ||
         reason == manifest::RejectReason::unreadable_source;
}

/// Calls `found` with the Error for each bad sample of a shard, up to the first damage of the file.
template <typename Found>
void check_shard(const source::SourceFile& file, const std::string& dataset, const IntakeOptions& options,
                 base::Reporter& reporter, const Found& found) {
  const Origin origin{.dataset_name = dataset, .source = file.path};
  const auto reader = open_source(file);
  SourceParser parser(file, options.key_rule);
  while (!parser.has_lost_rest()) {
    reporter.check_stop();
    Unit unit = reader->next();
    if (unit.memory_bytes > kMostGlanceBytes) return;
    unit.prepare();
    for (SourceItem& item : parser.parse(unit)) {
      for (const Measured& measured : measure(std::move(item), origin, options)) {
        const auto* reject = std::get_if<manifest::Reject>(&measured.outcome);
        if (reject == nullptr || !manifest::is_error(reject->reason)) continue;
        found(as_error(*reject, Remedy::skip_bad_samples));
        if (is_damage_of_file(reject->reason)) return;
      }
    }
    if (unit.last) return;
  }
}

/// Looks into the files of a dataset for about a second.
class FileChecks {
 public:
  /// All arguments must outlive it.
  FileChecks(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter)
      : stream_(stream), options_(options), reporter_(reporter) {}

  void run() {
    for (const source::SourceFile& file : stream_.files) {
      reporter_.check_stop();
      try {
        check(file);
      } catch (const base::Interrupted&) {
        throw;
      } catch (const Error& error) {
        found_.push_back(error);
      }
    }
  }

  /// What is bad, in the order of the files.
  const std::vector<Error>& found() const noexcept { return found_; }

 private:
  static bool take(std::uint64_t bytes, std::uint64_t& left) {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }

  void check(const source::SourceFile& file) {
    if (is_probed(file)) {
      if (take(file.bytes, audio_bytes_)) check_file(file);
    } else if (file.kind == source::SourceKind::recording && !file.utterances.empty()) {
      if (headers_-- > 0 && file.utterances.front().headerless_hz == 0) check_segments(file);
    } else if (file.kind == source::SourceKind::shard && !file.listing && !file.parquet) {
      const bool is_read = !file.corpus && !file.tree && take(file.bytes, shard_bytes_);
      if (is_read)
        check_shard(file, stream_.name, options_, reporter_,
                    [&](const Error& error) { found_.push_back(error); });
      else if (ends_-- > 0)
        source::check_end(file.path);
    }
  }

  const InputStream& stream_;
  const IntakeOptions& options_;
  base::Reporter& reporter_;
  std::vector<Error> found_;
  std::uint64_t audio_bytes_ = 32 << 20;
  std::uint64_t shard_bytes_ = 8 << 20;
  int headers_ = 200;  // of recordings with segments
  int ends_ = 200;     // of archives and shards: in a bucket each one is a request
};

/// Of a dataset with much that is bad, the first are enough, with a count of the others.
std::vector<Error> first_few(std::vector<Error> found, const std::string& dataset) {
  constexpr std::size_t kMostListed = 3;
  if (found.size() <= kMostListed + 1) return found;
  const std::size_t others = found.size() - kMostListed;
  found.erase(found.begin() + kMostListed, found.end());
  found.push_back(Error(fmt::format("{}: {} more are bad in its first files", printable(dataset), others), {},
                        Remedy::skip_bad_samples));
  return found;
}

void warn_of_left_out(const std::vector<Error>& found, const std::string& dataset, base::Reporter& reporter) {
  const Error& first = found.front();
  const std::string which = found.size() == 1 ? fmt::format("this sample of {}", printable(dataset))
                                              : fmt::format("this and {} more in the first files of {}",
                                                            found.size() - 1, printable(dataset));
  reporter.warn(Error(fmt::format("{}; {} will be left out", first.problem(), which), first.where()));
}

}  // namespace

void check_speakers(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                    Faults& faults) {
  for (const InputStream& stream : inputs.streams)
    faults.attempt([&] { check_speakers_of(stream, options, reporter); });
}

void check_some_audio(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                      Faults& faults) {
  IntakeOptions undecoded = options;
  undecoded.form = {};
  for (const InputStream& stream : inputs.streams) {
    FileChecks checks(stream, undecoded, reporter);
    checks.run();
    const std::vector<Error>& found = checks.found();
    if (found.empty()) continue;
    if (options.on_error == OnError::skip) {
      warn_of_left_out(found, stream.name, reporter);
      continue;
    }
    for (const Error& error : first_few(found, stream.name)) faults.attempt([&] { throw error; });
  }
}

}  // namespace shardmill::pipeline
