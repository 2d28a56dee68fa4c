#include "pipeline/dry_checks.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "audio/ffmpeg.hpp"
#include "audio/probe.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/measure/speakers.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/source_parser.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::pipeline {

namespace {

/// A sample as far as it is known before it is read.
struct Known {
  std::string dataset;
  std::string key;
  std::string path;
  std::string facts;
};

/// Throws Error if it has no speaker.
void check_speaker(const Known& sample, const IntakeOptions& options) {
  const JoinedFields joined = fields_in(options.tables, sample.dataset, sample.key, {});
  const std::string facts = merged_facts(sample.facts, joined.facts);
  const FoundSpeaker found = find_speaker(options.speakers, sample.dataset, facts, sample.key, sample.path);
  if (!found.name.empty() || (!found.is_missing && !shard::speaker_in(facts).empty())) return;
  throw Error(fmt::format("the speaker of '{}' of {} {}, so speakers cannot be kept apart",
                          printable(sample.key), printable(sample.dataset), shard::why_no_speaker(facts)),
              at(sample.path), sample.dataset, Remedy::split_by_key);
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

void check_speakers_of(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter) {
  bool has_shard = false;
  for (const source::SourceFile& file : stream.files) {
    reporter.check_stop();
    for (const source::CorpusUtterance& utterance : file.utterances) {
      if (!options.keys.wants(utterance.key)) continue;
      check_speaker({.dataset = stream.name,
                     .key = std::string(utterance.key),
                     .path = file.path,
                     .facts = std::string(utterance.facts)},
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

}  // namespace

void check_speakers(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                    Faults& faults) {
  for (const InputStream& stream : inputs.streams)
    faults.attempt([&] { check_speakers_of(stream, options, reporter); });
}

void check_some_audio(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                      Faults& faults) {
  if (options.on_error == OnError::skip) return;
  constexpr std::uint64_t kMostBytes = 32 << 20;  // of a dataset, and of a file
  constexpr int kMostFaults = 3;                  // of a dataset
  for (const InputStream& stream : inputs.streams) {
    std::uint64_t bytes = 0;
    int found = 0;
    for (const source::SourceFile& file : stream.files) {
      reporter.check_stop();
      if (!is_probed(file) || file.bytes > kMostBytes - bytes) continue;
      bytes += file.bytes;
      if (!faults.attempt([&] { check_file(file); }) && ++found == kMostFaults) break;
    }
  }
}

}  // namespace shardmill::pipeline
