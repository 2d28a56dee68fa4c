#include "pipeline/input_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <variant>

#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "deal/dataset_deal.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/measure/rejects.hpp"
#include "pipeline/placing/admission.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/source_parser.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"
#include "source/corpora.hpp"
#include "source/source_file.hpp"
#include "source/split.hpp"

namespace shardmill::pipeline {

namespace {

using source::MissingText;

/// Adds the names of facts, which are members of a manifest line.
void add_names_in(const std::string& facts, std::set<std::string>& names) {
  constexpr std::size_t kMostNames = 12;
  const std::string object = fmt::format("{{{}}}", facts);
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse(object).members()) {
    if (names.size() < kMostNames) names.insert(printable(std::string(name)));
  }
}

/// What was seen of the shards of a dataset.
struct SeenTexts {
  TextCount texts;
  std::set<std::string> others{};  // extensions of members that are neither audio nor transcripts
  std::set<std::string> fields{};  // of .json members

  void add(const Sample& sample, const std::string& dataset, const IntakeOptions& options) {
    bool has_audio = false;
    bool has_text = has_unread_table(options.tables, dataset) ||
                    !fields_in(options.tables, dataset, sample.key, {}).text.empty();
    for (const Member& member : sample.members) {
      if (shard::is_audio_extension(member.extension)) {
        has_audio = true;
      } else if (member.extension == "txt") {
        const std::string_view text = base::as_text(member.bytes);
        has_text = has_text || !shard::clean_transcript(text).empty();
      } else {
        others.insert(member.extension);
        if (member.extension != "json") continue;
        const std::string_view json = base::as_text(member.bytes);
        const auto found = read_metadata(json, options.tree.text_field_of(dataset), {});
        has_text = has_text || (found && !shard::clean_transcript(found->text.value_or("")).empty());
        if (found) add_names_in(found->facts, fields);
      }
    }
    if (has_audio) texts.add(has_text);
  }
};

/// The corpus of all files of a dataset, if that has no transcripts by nature; null for all other datasets.
const source::Corpus* textless_corpus(const Inputs& inputs, std::uint32_t dataset) {
  const source::Corpus* corpus = nullptr;
  for (const InputStream& stream : inputs.streams) {
    if (std::find(stream.datasets.begin(), stream.datasets.end(), dataset) == stream.datasets.end()) continue;
    for (const source::SourceFile& file : stream.files) {
      corpus = source::textless_corpus(file);
      if (corpus == nullptr) return nullptr;
    }
  }
  return corpus;
}

/// Stops at the first transcript, because one is enough.
void look_for_texts(const source::SourceFile& file, const std::string& dataset, const IntakeOptions& options,
                    base::Reporter& reporter, SeenTexts& seen) {
  constexpr std::uint64_t kMostSamples = 64;
  constexpr std::uint64_t kMostPlainBytes = 12 << 20;
  const auto reader = open_source(file);
  SourceParser parser(file, options.key_rule);
  for (std::uint64_t samples = 0; samples < kMostSamples && parser.offset() < kMostPlainBytes;) {
    reporter.check_stop();
    Unit unit = reader->next();
    if (unit.memory_bytes > kMostGlanceBytes) return;
    unit.prepare();
    for (const SourceItem& item : parser.parse(unit)) {
      const auto* sample = std::get_if<shard::GroupedSample>(&item);
      if (sample == nullptr || !sample->damage.empty() || !options.keys.wants(sample->sample.key)) continue;
      seen.add(sample->sample, dataset, options);
      if (seen.texts.with_text != 0) return;
      ++samples;
    }
    if (unit.last || parser.has_lost_rest()) return;
  }
}

std::string found_in(const SeenTexts& seen, const std::string& text_field) {
  constexpr std::size_t kMostNamed = 5;
  if (seen.others.empty()) return "only audio";
  std::string found;
  std::size_t named = 0;
  for (const std::string& extension : seen.others) {
    if (named++ == kMostNamed) break;
    found += fmt::format("{}.{}", found.empty() ? "" : ", ", printable(extension));
  }
  found = fmt::format(
      "audio and {} members, and text is read from .txt members, or from {} in .json members", found,
      text_field.empty() ? "a field with a usual name" : fmt::format("'{}'", printable(text_field)));
  if (seen.fields.empty()) return found;
  return found + fmt::format(": these have {}", fmt::join(seen.fields, ", "));
}

void glance_at_stream(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter) {
  std::vector<const source::SourceFile*> shards;
  for (const source::SourceFile& file : stream.files) {
    if (source::textless_corpus(file) != nullptr) return;
    if (file.kind == source::SourceKind::shard && !file.corpus) shards.push_back(&file);
  }
  if (shards.empty() || shards.size() != stream.files.size()) return;
  std::array<std::size_t, 3> numbers{0, (shards.size() - 1) / 2, shards.size() - 1};
  const auto end = std::unique(numbers.begin(), numbers.end());
  SeenTexts seen;
  for (auto number = numbers.begin(); number != end && seen.texts.with_text == 0; ++number) {
    try {
      look_for_texts(*shards[*number], stream.name, options, reporter, seen);
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      // The run reports this when the turn of the file comes.
    }
  }
  if (seen.texts.samples == 0 || seen.texts.with_text != 0) return;
  const std::string_view word = shards.front()->tree ? "archive" : "shard";
  const std::string where = shards.size() == 1 ? fmt::format("its {}", word)
                                               : fmt::format("{} of its {} {}s", end - numbers.begin(),
                                                             base::format_count(shards.size()), word);
  const std::string problem = fmt::format("none of the first {} of {} has a transcript",
                                          base::format_count(seen.texts.samples, "sample"), where);
  if (shards.front()->parquet) {
    throw Error(fmt::format("dataset '{}': {}; its columns are {}", printable(stream.name), problem,
                            shards.front()->parquet->columns),
                at(shards.front()->path), Remedy::allow_audio_alone);
  }
  throw source::missing_text_error(stream.name, seen.texts, problem, shards.front()->path,
                                   shards.front()->parquet
                                       ? fmt::format("the columns {}, and none of them is known as a text",
                                                     shards.front()->parquet->columns)
                                       : found_in(seen, options.tree.text_field_of(stream.name)),
                                   textless_tables(options.tables));
}

std::string first_file_of(const Inputs& inputs, std::uint32_t dataset) {
  for (const InputStream& stream : inputs.streams) {
    const bool holds =
        std::find(stream.datasets.begin(), stream.datasets.end(), dataset) != stream.datasets.end();
    if (holds && !stream.files.empty()) return stream.files.front().path;
  }
  return {};
}

Error factless_warning(const Factless& factless) {
  const std::uint64_t others = factless.samples - 1;
  const std::string also = others == 0   ? ""
                           : others == 1 ? ", and neither has 1 other"
                                         : fmt::format(", and neither have {} others", others);
  return Error(fmt::format("'{}' has no {}{}: {}, which should name it, is missing or incomplete",
                           printable(factless.first), factless.fact, also, factless.teller),
               at(factless.source));
}

bool reads_archives(const Inputs& inputs) {
  const auto is_archive = [](const source::SourceFile& file) { return file.tree != nullptr; };
  return std::any_of(inputs.streams.begin(), inputs.streams.end(), [&](const InputStream& stream) {
    return std::any_of(stream.files.begin(), stream.files.end(), is_archive);
  });
}

/// Of folders that was said when they were listed.
void warn_of_unlisted(const Inputs& inputs, const IntakeCounts& counts, base::Reporter& reporter) {
  const std::string reason(manifest::name(manifest::RejectReason::not_listed));
  const auto found = counts.left_out.find(reason);
  if (found == counts.left_out.end() || !reads_archives(inputs)) return;
  reporter.warn(
      Error(fmt::format("{} left out, because no table of the corpus lists {}: a table may be missing "
                        "or cut, or this may be audio of something else",
                        found->second == 1 ? std::string("1 sample was")
                                           : base::format_count(found->second, "sample") + " were",
                        found->second == 1 ? "it" : "them"),
            {}, fmt::format("rejects.jsonl names the samples that were left out, as {}", reason)));
}

}  // namespace

void glance_at_texts(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter) {
  if (options.missing_text != MissingText::refused) return;
  Faults faults;
  for (const InputStream& stream : inputs.streams)
    faults.attempt([&] { glance_at_stream(stream, options, reporter); });
  faults.check();
}

Error textless_warning(const Textless& textless) {
  return source::textless_warning(textless.first, textless.samples - 1, textless.source);
}

Error as_warned(const Error& warning, const IntakeOptions& options) {
  if (warning.remedy() != Remedy::require_text || !options.filters.require_text) return warning;
  return Error(warning.problem() + "; left out", warning.where());
}

Error left_members_warning(const LeftMembers& left) {
  constexpr std::size_t kMostNamed = 5;
  std::string named;
  std::size_t count = 0;
  for (const auto& [extension, samples] : left.extensions) {
    if (count++ == kMostNamed) break;
    named += fmt::format("{}.{} of {}", named.empty() ? "" : ", ", printable(extension),
                         base::format_count(samples));
  }
  return Error(
      fmt::format(
          "{} {} members that are left out, because shards without transcripts hold nothing but audio: {}{}",
          base::format_count(left.samples, "sample"), left.samples == 1 ? "has" : "have", named,
          left.extensions.size() > kMostNamed ? ", ..." : ""),
      {}, "shardmill repack --text both makes a dataset that has them");
}

void check_texts(const Inputs& inputs, const IntakeCounts& counts, const IntakeOptions& options,
                 base::Reporter& reporter) {
  std::set<std::string> textless_datasets;
  for (std::uint32_t number = 0; number < inputs.datasets.size(); ++number) {
    const DatasetInput& dataset = inputs.datasets[number];
    const auto found = counts.texts.find(dataset.name);
    if (const source::Corpus* corpus = textless_corpus(inputs, number)) {
      textless_datasets.insert(dataset.name);
      reporter.warn(
          Error(fmt::format("dataset '{}': {} is published without transcripts, so its samples have none",
                            printable(dataset.name), corpus->name)));
      continue;
    }
    if (found == counts.texts.end() || !is_refused(found->second, options.missing_text)) continue;
    throw Error(fmt::format("dataset '{}': {}", printable(dataset.name), source::missing_text(found->second)),
                at(first_file_of(inputs, number)), "nothing was written", Remedy::allow_missing_text);
  }
  for (const auto& [dataset, textless] : counts.textless) {
    if (!textless_datasets.contains(dataset)) reporter.warn(textless_warning(textless));
  }
  for (const auto& [dataset, factless] : counts.factless) reporter.warn(factless_warning(factless));
  if (counts.left_members.samples != 0) reporter.warn(left_members_warning(counts.left_members));
  warn_of_unlisted(inputs, counts, reporter);
}

namespace {

/// Corpora as they are published are not mixed in the first place.
void warn_of_mixed_splits(const IntakeCounts& counts, base::Reporter& reporter) {
  for (const auto& [dataset, texts] : counts.texts) {
    const auto found = counts.subsets.find(dataset);
    if (found == counts.subsets.end()) continue;
    const auto& subsets = found->second;
    std::map<source::Split, std::uint64_t> splits;
    std::uint64_t others = texts.samples;  // that say nothing, and so count as training data
    for (const auto& [subset, amount] : subsets) {
      splits[source::split_of(subset)] += amount.samples;
      others -= std::min(others, amount.samples);
    }
    splits.erase(source::Split::other);
    if (others > 0) splits[source::Split::train] += others;
    if (splits.size() < 2) continue;
    std::string list;
    for (const auto& [split, samples] : splits)
      list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", samples, name(split));
    reporter.warn(Error(fmt::format("dataset '{}' says which of its samples are for training, dev and test, "
                                    "and they are mixed: {}",
                                    printable(dataset), list),
                        {}, {}, Remedy::choose_subset));
  }
}

}  // namespace

void check_subsets(const IntakeCounts& counts, const IntakeOptions& options, base::Reporter& reporter) {
  if (options.tree.subsets.empty()) return warn_of_mixed_splits(counts, reporter);
  bool is_any_found = counts.taken == 0;
  std::vector<Error> lost;
  for (const std::string& wanted : options.tree.subsets) {
    if (wanted == source::kAllSubsets) is_any_found = true;
    if (wanted == source::kAllSubsets) continue;
    // A corpus without subsets is taken whole where training data is wanted.
    const auto has_none = [&](const auto& part) { return !counts.subsets.contains(part.first); };
    bool is_found = source::has_wanted_subset({"train"}, {wanted}) &&
                    std::any_of(counts.texts.begin(), counts.texts.end(), has_none);
    for (const auto& [dataset, subsets] : counts.subsets) {
      for (const auto& [subset, amount] : subsets)
        is_found = is_found || source::has_wanted_subset({subset}, {wanted});
    }
    is_any_found = is_any_found || is_found;
    if (!is_found) lost.emplace_back(fmt::format("no sample belongs to the subset '{}'", printable(wanted)));
  }
  if (!is_any_found) throw Error(lost.front().problem(), {}, "nothing was written");
  for (const Error& error : lost) reporter.warn(error);
}

namespace {

/// A smaller archive is soon read up to its second split. It may also hold less than the publisher's.
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 20;

/// Adds what the texts of an unpacked corpus say.
void find_splits(const source::SourceFile& file, const std::string& dataset, const IntakeOptions& options,
                 std::map<std::string, std::string>& splits) {
  for (const source::CorpusUtterance& utterance : file.utterances) {
    const std::string_view subset = source::subset_in(utterance.facts);
    if (subset.empty() || !options.keys.wants(utterance.key)) continue;
    const std::string split(name(source::split_of(subset)));
    if (splits.contains(split)) continue;
    splits.emplace(split, fmt::format("'{}' of {} in {}", printable(utterance.key), printable(dataset),
                                      printable(subset)));
  }
}

}  // namespace

void check_splits(const Inputs& inputs, const IntakeOptions& options) {
  if (!options.tree.subsets.empty()) return;
  std::map<std::string, std::string> splits;
  std::string second;  // where a second split was found
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.tree && file.tree->holds_all_splits && file.bytes >= kLargeBytes) {
        throw Error(
            fmt::format("dataset '{}': its publisher packs training and test data together, and shardmill "
                        "does not mix them unless asked to",
                        printable(stream.name)),
            at(file.path), Remedy::choose_subset);
      }
      if (file.parquet && !file.subset.empty()) {
        const std::string& subset = file.subset;
        splits.emplace(name(source::split_of(subset)),
                       fmt::format("the rows of {} in {}", printable(stream.name), printable(subset)));
        if (splits.size() > 1 && second.empty()) second = file.path;
      }
      const bool is_published = file.corpus && !file.corpus->name.empty();
      if (!is_published) continue;
      find_splits(file, stream.name, options, splits);
      if (splits.size() > 1 && second.empty()) second = file.path;
    }
  }
  if (splits.size() > 1) throw mixed_splits(splits, second);
}

Error mixed_splits(const std::map<std::string, std::string>& splits, const std::string& path) {
  std::string list;
  for (const auto& [split, named] : splits) list += fmt::format("{}{}", list.empty() ? "" : ", ", named);
  return Error(
      fmt::format("the sources hold several splits, which shardmill does not mix unless asked to: {}", list),
      at(path), Remedy::choose_subset);
}

namespace {

void read_keys(const std::string& log, shard::KeySet& keys) {
  base::File file = base::File::open_read(log);
  std::vector<base::Xxh128> chunk(4096);
  for (;;) {
    const std::size_t got = file.read(std::as_writable_bytes(std::span(chunk))) / sizeof(base::Xxh128);
    for (std::size_t i = 0; i < got; ++i) keys.insert(chunk[i]);
    if (got < chunk.size()) return;
  }
}

void meet_rejects(const std::string& work_folder, source::Promises& promises) {
  manifest::RecordReader reader(reject_log_path(work_folder));
  for (manifest::Reject reject; reader.next(reject);) {
    if (reject.key) promises.meet(*reject.key);
  }
}

/// Whether the dataset has the sample, or a channel of it.
bool is_taken(const source::Unusable& promised, const IntakeOptions& options, const shard::KeySet& taken) {
  const auto keys = possible_keys(promised.key, options);
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return taken.contains(written_key(promised.dataset, key, options));
  });
}

std::vector<manifest::Reject> rejects_of(const source::Promises& promises, const Promised& what,
                                         const IntakeOptions& options, const shard::KeySet& taken) {
  std::map<std::string_view, double> weights;
  for (const DatasetInput& dataset : what.datasets) weights[dataset.name] = dataset.weight;
  std::vector<manifest::Reject> rejects;
  promises.for_each_broken([&](const source::Unusable& one) {
    const auto weight = weights.find(one.dataset);
    if (weight != weights.end() && deal::copies(weight->second, what.seed, one.key) == 0) return;
    if (!is_taken(one, options, taken)) rejects.push_back(reject_of(one, options.keys));
  });
  return rejects;
}

}  // namespace

std::vector<manifest::Reject> broken_promises(const Promised& what, const IntakeOptions& options,
                                              const shard::KeySet& taken, const std::string& work_folder) {
  source::Promises promises(what.promises);
  meet_rejects(work_folder, promises);
  return rejects_of(promises, what, options, taken);
}

std::vector<manifest::Reject> broken_promises(const Promised& what, const IntakeOptions& options,
                                              const std::vector<std::string>& work_folders) {
  source::Promises promises(what.promises);
  shard::KeySet taken;
  for (const std::string& folder : work_folders) {
    meet_rejects(folder, promises);
    read_keys(key_log_path(folder), taken);
  }
  return rejects_of(promises, what, options, taken);
}

}  // namespace shardmill::pipeline
