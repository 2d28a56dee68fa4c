#include <fmt/format.h>

#include <algorithm>
#include <map>
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
};

std::string facts_of(const Known& sample, const IntakeOptions& options) {
  return merged_facts(sample.facts, fields_in(options.tables, sample.dataset, sample.key, {}).facts);
}

/// Empty for a sample without one.
std::string speaker_of(const Known& sample, const IntakeOptions& options) {
  const std::string facts = facts_of(sample, options);
  FoundSpeaker found;
  for (const std::string& key : possible_keys(sample.key, options)) {
    found = find_speaker(options.speakers, sample.dataset, facts, key, sample.path);
    if (!found.is_missing) break;
  }
  return found.name.empty() ? std::string(shard::speaker_in(facts)) : found.name;
}

/// Names of speakers that several datasets have. They count as different people.
class Namesakes {
 public:
  void add(const std::string& speaker, const std::string& dataset) {
    const auto [known, is_new] = datasets_.try_emplace(speaker, dataset);
    if (is_new || known->second == dataset || !namesakes_.insert(speaker).second) return;
    if (first_.empty())
      first_ = fmt::format("'{}' of {} and of {}", printable(speaker), printable(known->second),
                           printable(dataset));
  }
  std::optional<Error> warning() const {
    if (first_.empty()) return std::nullopt;
    return Error(
        fmt::format("{} the same name in two datasets, as {}: they count as different people, "
                    "and may be in two splits",
                    namesakes_.size() == 1 ? "1 speaker has"
                                           : base::format_count(namesakes_.size(), "speaker") + " have",
                    first_),
        {}, "if they are one person, give the datasets one name: NAME=SOURCE for each");
  }

 private:
  std::map<std::string, std::string> datasets_;  // by speaker, the first
  std::set<std::string> namesakes_;
  std::string first_;
};

/// Samples of a dataset without a speaker.
class Speakerless {
 public:
  Speakerless(const IntakeOptions& options, const std::string& dataset, Namesakes& namesakes)
      : options_(options), dataset_(dataset), namesakes_(namesakes) {}

  void look_at(Known&& sample) {
    if (samples_++ % keys_apart_ == 0) keep(sample.key);
    const std::string speaker = speaker_of(sample, options_);
    ++samples_of_[speaker];
    if (!speaker.empty()) return namesakes_.add(speaker, dataset_);
    if (!first_) first_ = std::move(sample);
    ++without_;
  }

  /// Throws Error, or warns where few are left out, or where a pattern finds hardly more than one speaker.
  void check(base::Reporter& reporter) const {
    warn_of_one(reporter);
    if (!first_) return;
    const bool are_few = without_ <= samples_ / 10;  // more would be a mistake in the input
    const std::string also =
        without_ == 1 ? "" : fmt::format(", as that of {} more", base::format_count(without_ - 1));
    const std::string problem =
        fmt::format("the speaker of '{}' of {} {}{}", printable(first_->key), printable(dataset_),
                    shard::why_no_speaker(facts_of(*first_, options_)), also);
    if (are_few && options_.on_error == OnError::skip)
      return reporter.warn(Error(problem + "; left out", at(first_->path)));
    std::vector<std::string> others = keys_;
    std::erase(others, first_->key);
    // No expression for the few: it would apply to all others, too.
    throw Error(problem + ", so speakers cannot be kept apart", at(first_->path),
                are_few ? dataset_ : speaker_advice(dataset_, first_->key, others), Remedy::split_by_key);
  }

 private:
  /// Keeps some keys of all samples, at even distances.
  void keep(const std::string& key) {
    constexpr std::size_t kMostKeys = 1024;
    keys_.push_back(key);
    if (keys_.size() < kMostKeys) return;
    for (std::size_t i = 0; i < kMostKeys / 2; ++i) keys_[i] = std::move(keys_[2 * i]);
    keys_.resize(kMostKeys / 2);
    keys_apart_ *= 2;
  }

  void warn_of_one(base::Reporter& reporter) const {
    constexpr std::uint64_t kFewSamples = 20;
    const auto& patterns = options_.speakers.patterns;
    const bool has_pattern = patterns.contains(dataset_) || patterns.contains("");
    if (!has_pattern || samples_ < kFewSamples) return;
    const auto most = std::ranges::max_element(samples_of_, {}, [](const auto& each) { return each.second; });
    if (most->first.empty() || !is_nearly_all(most->second, samples_)) return;
    reporter.warn(Error(
        fmt::format("dataset '{}': the regular expression for speakers finds '{}' in {} of {}, which stay "
                    "together in one split",
                    printable(dataset_), printable(most->first), base::format_count(most->second),
                    base::format_count(samples_, "sample")),
        {}, "if they are several people, write one that tells them apart"));
  }

  const IntakeOptions& options_;
  std::string dataset_;
  Namesakes& namesakes_;
  std::map<std::string, std::uint64_t> samples_of_;  // by speaker; empty: without one
  std::vector<std::string> keys_;                    // of some
  std::uint64_t keys_apart_ = 1;
  std::uint64_t samples_ = 0;
  std::uint64_t without_ = 0;
  std::optional<Known> first_;
};

/// Looks at the samples in a shard that no filter leaves out, as long as bytes are left.
void look_at_shard(const source::SourceFile& file, const std::string& dataset, const IntakeOptions& given,
                   std::uint64_t& bytes_left, Speakerless& speakerless) {
  IntakeOptions options = given;
  options.form = {};
  options.needs_speakers = false;  // else measure() leaves out the very samples
  const Origin origin{.dataset_name = dataset, .source = file.path};
  const auto reader = open_source(file);
  SourceParser parser(file, options.key_rule);
  std::uint64_t before = 0;
  while (bytes_left > 0 && !parser.has_lost_rest()) {
    Unit unit = reader->next();
    if (unit.memory_bytes > kMostGlanceBytes) return;
    unit.prepare();
    for (SourceItem& item : parser.parse(unit)) {
      for (const Measured& measured : measure(std::move(item), origin, options)) {
        const auto* utterance = std::get_if<Utterance>(&measured.outcome);
        if (utterance == nullptr) continue;
        const manifest::SampleRecord& record = utterance->record;
        speakerless.look_at({.dataset = record.dataset,
                             .key = record.source_key,
                             .path = record.source,
                             .facts = record.facts});
      }
    }
    bytes_left -= std::min(bytes_left, parser.offset() - before);
    before = parser.offset();
    if (unit.last) return;
  }
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

/// True if a filter leaves the utterance out, as far as the corpus and the tables tell.
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

void check_utterances(const InputStream& stream, const IntakeOptions& options, Namesakes& namesakes,
                      base::Reporter& reporter) {
  Speakerless speakerless(options, stream.name, namesakes);
  for (const source::SourceFile& file : stream.files) {
    reporter.check_stop();
    for (const source::CorpusUtterance& utterance : file.utterances) {
      if (!options.keys.wants(utterance.key) || is_left_out(utterance, stream.name, options)) continue;
      speakerless.look_at({.dataset = stream.name,
                           .key = std::string(utterance.key),
                           .path = file.path,
                           .facts = std::string(utterance.facts)});
    }
  }
  speakerless.check(reporter);
}

void check_speakers_of(const InputStream& stream, const IntakeOptions& options, Namesakes& namesakes,
                       base::Reporter& reporter) {
  if (has_bad_table(stream, options)) return;
  check_utterances(stream, options, namesakes, reporter);
  const auto is_shard = [](const source::SourceFile& file) {
    return file.kind == source::SourceKind::shard && !file.corpus && !file.tree && !file.listing;
  };
  std::uint64_t bytes_left = 12 << 20;
  Speakerless speakerless(options, stream.name, namesakes);
  for (const source::SourceFile& file : stream.files) {
    if (!is_shard(file) || bytes_left == 0) continue;
    try {
      look_at_shard(file, stream.name, options, bytes_left, speakerless);
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
  speakerless.check(reporter);
}

}  // namespace

std::optional<Error> check_speakers(const Inputs& inputs, const IntakeOptions& options,
                                    base::Reporter& reporter, Faults& faults) {
  Namesakes namesakes;
  for (const InputStream& stream : inputs.streams) {
    faults.attempt([&] { check_speakers_of(stream, options, namesakes, reporter); });
  }
  return namesakes.warning();
}

}  // namespace shardmill::pipeline
