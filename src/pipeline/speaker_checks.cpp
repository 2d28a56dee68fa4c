#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/measure/filters.hpp"
#include "pipeline/measure/speakers.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/source_parser.hpp"
#include "pipeline/utterance.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::pipeline {

namespace {

/// A sample as far as it is known before it is read.
struct Known {
  std::string dataset;
  std::string key;
  std::string path;
  std::string facts;
  std::vector<std::string> other_keys{};  // of other samples of the dataset, if any are known
};

std::string facts_of(const Known& sample, const IntakeOptions& options) {
  return merged_facts(sample.facts, fields_in(options.tables, sample.dataset, sample.key, {}).facts);
}

bool has_speaker(const Known& sample, const IntakeOptions& options) {
  const std::string facts = facts_of(sample, options);
  FoundSpeaker found;
  for (const std::string& key : possible_keys(sample.key, options)) {
    found = find_speaker(options.speakers, sample.dataset, facts, key, sample.path);
    if (!found.is_missing) break;
  }
  return !found.name.empty() || (!found.is_missing && !shard::speaker_in(facts).empty());
}

/// `others`: samples of the dataset that lack it, too.
Error no_speaker(const Known& sample, std::uint64_t others, const IntakeOptions& options) {
  const std::string also = others == 0 ? "" : fmt::format(", as that of {} more", base::format_count(others));
  return Error(
      fmt::format("the speaker of '{}' of {} {}{}, so speakers cannot be kept apart", printable(sample.key),
                  printable(sample.dataset), shard::why_no_speaker(facts_of(sample, options)), also),
      at(sample.path), speaker_advice(sample.dataset, sample.key, sample.other_keys), Remedy::split_by_key);
}

/// The first sample of a shard; nullopt if the first few megabytes hold none.
std::optional<Known> first_sample(const source::SourceFile& file, const std::string& dataset,
                                  const IntakeOptions& options) {
  constexpr std::uint64_t kEnoughBytes = 12 << 20;
  const auto reader = open_source(file);
  SourceParser parser(file, options.key_rule);
  while (parser.offset() < kEnoughBytes) {
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

/// The keys of the first and the last sample, whose speakers are probably two.
std::vector<std::string> keys_at_the_ends(const InputStream& stream) {
  const auto has_any = [](const source::SourceFile& file) { return !file.utterances.empty(); };
  const auto first = std::ranges::find_if(stream.files, has_any);
  if (first == stream.files.end()) return {};
  const auto last = std::find_if(stream.files.rbegin(), stream.files.rend(), has_any);
  return {std::string(first->utterances.front().key), std::string(last->utterances.back().key)};
}

/// True if a filter leaves the utterance out, by what the corpus and tables say of it.
bool is_left_out(const source::CorpusUtterance& utterance, const std::string& dataset,
                 const IntakeOptions& options) {
  const auto has_text = [&](const std::string& key) {
    return !fields_in(options.tables, dataset, key, {}).text.empty();
  };
  KnownFacts known;
  if (utterance.end_seconds != source::CorpusUtterance::kToTheEnd)
    known.seconds = utterance.end_seconds - utterance.begin_seconds;
  known.has_text =
      utterance.has_text ||
      (!options.tables.empty() && std::ranges::any_of(possible_keys(utterance.key, options), has_text));
  return find_filter(known, options.filters).has_value();
}

/// Throws Error for the utterances that have no speaker.
void check_utterances(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter) {
  std::optional<Known> first;
  std::uint64_t others = 0;
  for (const source::SourceFile& file : stream.files) {
    reporter.check_stop();
    for (const source::CorpusUtterance& utterance : file.utterances) {
      if (!options.keys.wants(utterance.key) || is_left_out(utterance, stream.name, options)) continue;
      Known sample{.dataset = stream.name,
                   .key = std::string(utterance.key),
                   .path = file.path,
                   .facts = std::string(utterance.facts)};
      if (has_speaker(sample, options)) continue;
      if (first) {
        ++others;
      } else {
        first = std::move(sample);
      }
    }
  }
  if (!first) return;
  first->other_keys = keys_at_the_ends(stream);
  std::erase(first->other_keys, first->key);
  throw no_speaker(*first, others, options);
}

void check_speakers_of(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter) {
  if (has_bad_table(stream, options)) return;
  check_utterances(stream, options, reporter);
  const auto is_shard = [](const source::SourceFile& file) {
    return file.kind == source::SourceKind::shard && !file.corpus && !file.tree && !file.listing;
  };
  const auto shard = std::ranges::find_if(stream.files, is_shard);
  if (shard == stream.files.end()) return;
  std::optional<Known> sample;
  try {
    sample = first_sample(*shard, stream.name, options);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error&) {
    return;  // The run reports this when the turn of the file comes.
  }
  if (sample && !has_speaker(*sample, options)) throw no_speaker(*sample, 0, options);
}

}  // namespace

void check_speakers(const Inputs& inputs, const IntakeOptions& options, const std::set<std::string>& but,
                    base::Reporter& reporter, Faults& faults) {
  for (const InputStream& stream : inputs.streams) {
    if (!but.contains(stream.name)) faults.attempt([&] { check_speakers_of(stream, options, reporter); });
  }
}

}  // namespace shardmill::pipeline
