#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "audio/ffmpeg.hpp"
#include "audio/probe.hpp"
#include "audio/recording_reader.hpp"
#include "base/io/file.hpp"
#include "base/system/command.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/measure/filters.hpp"
#include "pipeline/measure/rejects.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/source_parser.hpp"
#include "pipeline/utterance.hpp"
#include "shard/keys.hpp"
#include "source/archive_entries.hpp"
#include "source/source_set.hpp"

namespace shardmill::pipeline {

namespace {

/// A key that a sample would get.
struct KnownKey {
  std::string dataset;
  std::string path;  // of the file with the sample
  std::string key;
};

/// Calls back for each utterance of a raw corpus that is wanted. Of shards, some that are listed may not be
/// there.
template <typename Use>
void for_each_key(const Inputs& inputs, const IntakeOptions& options, const Use& use) {
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.kind == source::SourceKind::shard) continue;
      for (const source::CorpusUtterance& utterance : file.utterances) {
        if (options.keys.wants(utterance.key))
          use({.dataset = stream.name,
               .path = file.path,
               .key = written_key(stream.name, utterance.key, options)});
      }
    }
  }
}

/// Finds keys that come twice. Counts those of corpora, or those that shards have besides.
class RepeatedKeys {
 public:
  RepeatedKeys(const Inputs& inputs, const IntakeOptions& options) : inputs_(inputs), options_(options) {
    for_each_key(inputs, options, [&](const KnownKey& known) { compare(known); });
  }

  void compare_with(std::vector<KnownKey> shards) {
    keys_ = 0;
    repeated_ = shard::KeySet();
    first_keys_.clear();
    shards_ = std::move(shards);
    for (const KnownKey& known : shards_) compare(known);
  }

  std::optional<Error> error(bool is_certain) const {
    if (keys_ == 0) return std::nullopt;
    const std::string others = keys_ == 1 ? ""
                                          : fmt::format("; the sources have {} more than once: {}",
                                                        base::format_count(keys_ - 1, "other key"), names());
    return Error(
        fmt::format("the key '{}' is {}{}{}", printable(example_.key), places(), others,
                    is_certain ? "" : "; the run stops at the second of them, unless one is left out"),
        at(example_.path), is_in_one_ || options_.prefixes_keys ? kPrefixIsNoHelp : "",
        Remedy::choose_duplicate);
  }

 private:
  /// Of other keys: "'b', 'c', ..."
  std::string names() const {
    std::string names;
    std::size_t named = 0;
    for (const std::string& key : first_keys_) {
      if (key == example_.key || named == kNamed) continue;
      names += fmt::format("{}'{}'", named++ == 0 ? "" : ", ", printable(key));
    }
    return names + (keys_ - 1 > named ? ", ..." : "");
  }

  void compare(const KnownKey& known) {
    const bool is_in_one = !seen_in_datasets_.insert(fmt::format("{}/{}", known.dataset, known.key));
    if (seen_.insert(known.key)) return;
    const bool is_new = repeated_.insert(known.key);
    const bool has_example = keys_ > 0;
    if (is_new && first_keys_.size() <= kNamed) first_keys_.push_back(known.key);
    if (is_new) ++keys_;
    if (has_example && (is_in_one_ || !is_in_one)) return;
    is_in_one_ = is_in_one;
    example_ = known;
  }

  /// "in the datasets 'a' and 'b'"
  std::string places() const {
    if (is_in_one_) return fmt::format("twice in the dataset '{}'", printable(example_.dataset));
    std::string first;
    const auto look = [&](const KnownKey& known) {
      if (first.empty() && known.key == example_.key) first = known.dataset;
    };
    for_each_key(inputs_, options_, look);
    for (const KnownKey& known : shards_) look(known);
    return fmt::format("in the datasets '{}' and '{}'", printable(first), printable(example_.dataset));
  }

  static constexpr std::size_t kNamed = 3;

  const Inputs& inputs_;
  const IntakeOptions& options_;
  std::vector<KnownKey> shards_;
  std::vector<std::string> first_keys_;  // that come twice
  shard::KeySet seen_;
  shard::KeySet seen_in_datasets_;
  shard::KeySet repeated_;
  std::uint64_t keys_ = 0;
  bool is_in_one_ = false;  // the example is twice in one dataset, where there is such a key
  KnownKey example_;
};

bool compares_keys(const Inputs& inputs, const IntakeOptions& options) {
  const auto takes_some = [](const DatasetInput& dataset) { return dataset.weight < 1; };
  return options.on_duplicate == OnDuplicate::stop && std::ranges::none_of(inputs.datasets, takes_some);
}

/// Whether a filter may leave out samples, which only shows when they are read.
bool may_leave_out(const IntakeOptions& options) {
  return is_any_set(options.filters) || options.on_error == OnError::skip || options.limit != 0 ||
         options.on_duplicate_audio == OnDuplicateAudio::first;
}

/// Throws Error for an utterance that its recording is too short for, or has no such channel for.
void check_ends(const source::SourceFile& file, const AudioInfo& info) {
  constexpr double kGraceSeconds = 0.1;
  if (info.frames == 0) return;
  for (const source::CorpusUtterance& utterance : file.utterances) {
    const Where where{.path = file.path, .member = std::string(utterance.key)};
    if (utterance.channel && *utterance.channel >= info.channels)
      throw Error(has_no_channel(*utterance.channel, info.channels), where, Remedy::skip_bad_samples);
    const bool has_end = utterance.end_seconds != source::CorpusUtterance::kToTheEnd;
    const double said = utterance.keeps_to_seconds ? utterance.seconds : 0;
    const double end = has_end ? utterance.end_seconds : utterance.begin_seconds + said;
    if (end <= info.seconds() + std::max(kGraceSeconds, length_tolerance(said))) continue;
    throw Error(ends_after_recording(end, info.seconds()), where, Remedy::skip_bad_samples);
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
  check_ends(file, probed.info);
}

/// Throws Error for a command that fails or writes no audio. One that takes long is left to the run.
void check_command(const source::SourceFile& file, std::chrono::milliseconds most_time) {
  constexpr std::uint64_t kMostBytes = 64U << 20;
  const auto bytes = base::output_if_soon(file.path, most_time, kMostBytes);
  if (!bytes) return;
  const audio::ProbeResult probed = audio::probe(*bytes);
  if (probed.verdict == audio::ProbeVerdict::unrecognised)
    throw Error("writes no audio: " + probed.text, at(file.path));
  if (!probed.usable()) throw Error("writes damaged audio: " + probed.text, at(file.path));
  check_ends(file, probed.info);
}

/// Throws Error for a segment that is longer than the one file that the command of its recording reads. Most
/// commands change its form, and not its length.
void check_file_of_command(const source::SourceFile& file) {
  const std::vector<std::string> read = base::files_read_by(file.path);
  if (read.size() != 1 || !audio::foreign_kind(base::File::open_read(read.front())).empty()) return;
  try {
    check_ends(file, audio::RecordingReader(read.front()).info());
  } catch (const Error& error) {
    // Only the command itself knows whether this file can be read.
    if (error.where().member.empty()) return;
    throw Error(fmt::format("{}, unless its command makes it longer", error.problem()), error.where());
  }
}

/// Segments may lie in front of the place where a recording is cut off.
bool is_probed(const source::SourceFile& file) {
  if (file.kind != source::SourceKind::recording || file.utterances.empty()) return false;
  return file.utterances.front().is_whole() && file.utterances.front().headerless_hz == 0;
}

/// Throws Error for a segment that its recording is too short for, by its header.
void check_segments(const source::SourceFile& file) {
  if (!audio::foreign_kind(base::File::open_read(file.path)).empty()) return;
  check_ends(file, audio::RecordingReader(file.path).info());
}

/// What follows damage in a file is damaged by it, too.
bool is_damage_of_file(manifest::RejectReason reason) {
  return reason == manifest::RejectReason::damaged_source ||
         reason == manifest::RejectReason::truncated_source ||
         reason == manifest::RejectReason::unreadable_source;
}

/// The samples of the shards that were read, but for bad ones.
struct SeenSamples {
  std::vector<KnownKey> keys{};
  TextCount texts{};  // of one dataset
  Textless textless{};
  LeftMembers left_members{};

  void add(const Utterance& utterance, const std::string& dataset) {
    const manifest::SampleRecord& record = utterance.record;
    keys.push_back({.dataset = dataset, .path = record.source, .key = record.key});
    if (!utterance.has_text) return add_textless(record.source_key, record.source);
    texts.add(true);
  }
  void add_textless(const std::string& key, const std::string& path) {
    texts.add(false);
    if (textless.samples++ != 0) return;
    textless.first = key;
    textless.source = path;
  }
};

/// Adds the samples of a shard, and calls back with the Error for each bad one, up to the first damage of the
/// file. Returns false where there is damage.
bool read_shard(const source::SourceFile& file, const std::string& dataset, const IntakeOptions& options,
                base::Reporter& reporter, SeenSamples& seen, const std::function<void(const Error&)>& bad) {
  const Origin origin{.dataset_name = dataset, .source = file.path};
  const auto reader = open_source(file);
  SourceParser parser(file, options.key_rule);
  while (!parser.has_lost_rest()) {
    reporter.check_stop();
    Unit unit = reader->next();
    if (unit.memory_bytes > kMostGlanceBytes) return true;
    unit.prepare();
    for (SourceItem& item : parser.parse(unit)) {
      for (const Measured& measured : measure(std::move(item), origin, options)) {
        seen.left_members.add(measured.left_members);
        if (const auto* utterance = std::get_if<Utterance>(&measured.outcome)) seen.add(*utterance, dataset);
        const auto* reject = std::get_if<manifest::Reject>(&measured.outcome);
        if (reject == nullptr) continue;
        if (reject->reason == manifest::RejectReason::no_text)
          seen.add_textless(reject->key.value_or(""), file.path);
        if (!manifest::is_error(reject->reason)) continue;
        bad(as_error(*reject, Remedy::skip_bad_samples));
        if (is_damage_of_file(reject->reason)) return false;
      }
    }
    if (unit.last) break;
  }
  return !parser.has_lost_rest();
}

/// Bytes of files that there is time for.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : left_(bytes) {}
  bool take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::uint64_t left_;
};

constexpr std::uint64_t kShardBytesRead = 8U << 20;  // of a dataset

/// Whether a shard is read as a whole, given the budget of its dataset.
bool is_read(const source::SourceFile& file, Budget& budget) {
  const bool is_plain = !file.listing && !file.parquet && !file.corpus && !file.tree;
  return file.kind == source::SourceKind::shard && is_plain && budget.take(file.bytes);
}

/// Looks into the files of a dataset for about a second.
class FileChecks {
 public:
  /// All arguments must outlive it.
  FileChecks(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter,
             SeenSamples& seen)
      : stream_(stream), options_(options), reporter_(reporter), seen_(seen) {}

  void run() {
    for (const source::SourceFile& file : stream_.files) {
      reporter_.check_stop();
      try {
        if (is_wanted(file)) check(file);
      } catch (const base::Interrupted&) {
        throw;
      } catch (const Error& error) {
        found_.push_back(error);
        if (file.kind == source::SourceKind::shard) ++damaged_shards_;
      }
    }
  }

  std::uint64_t damaged_shards() const noexcept { return damaged_shards_; }
  /// What is bad, in the order of the files.
  const std::vector<Error>& found() const noexcept { return found_; }

 private:
  /// Of recordings whose keys are known, those that a list of keys leaves out are not read.
  bool is_wanted(const source::SourceFile& file) const {
    return file.utterances.empty() || std::ranges::any_of(file.utterances, [&](const auto& utterance) {
             return options_.keys.wants(utterance.key);
           });
  }

  void check(const source::SourceFile& file) {
    if (file.kind == source::SourceKind::command) {
      try_command(file);
    } else if (is_probed(file)) {
      if (audio_.take(file.bytes)) check_file(file);
    } else if (file.kind == source::SourceKind::recording && !file.utterances.empty()) {
      if (headers_-- > 0 && file.utterances.front().headerless_hz == 0) check_segments(file);
    } else if (is_read(file, shards_)) {
      const bool is_whole = read_shard(file, stream_.name, options_, reporter_, seen_,
                                       [&](const Error& error) { found_.push_back(error); });
      if (!is_whole) ++damaged_shards_;
    } else if (file.kind == source::SourceKind::shard && !file.listing && !file.parquet && ends_-- > 0) {
      source::check_end(file.path);
    }
  }

  /// As many as there is time for.
  void try_command(const source::SourceFile& file) {
    if (!options_.runs_commands) return look_at_file_of(file);
    if (time_for_commands_ <= Clock::duration::zero()) return;
    const auto begin = Clock::now();
    const auto spend = [&] { time_for_commands_ -= Clock::now() - begin; };
    try {
      check_command(file, std::chrono::ceil<std::chrono::milliseconds>(time_for_commands_));
    } catch (const Error&) {
      spend();
      throw;
    }
    spend();
  }

  void look_at_file_of(const source::SourceFile& command) {
    if (headers_-- <= 0) return;
    try {
      check_file_of_command(command);
    } catch (const Error& error) {
      reporter_.warn(error);
    }
  }

  using Clock = std::chrono::steady_clock;

  const InputStream& stream_;
  const IntakeOptions& options_;
  base::Reporter& reporter_;
  SeenSamples& seen_;
  std::vector<Error> found_;
  std::uint64_t damaged_shards_ = 0;
  Budget audio_{32U << 20};
  Budget shards_{kShardBytesRead};
  Clock::duration time_for_commands_ = std::chrono::seconds(3);
  int headers_ = 200;  // of recordings with segments
  int ends_ = 200;     // of archives and shards: in a bucket each one is a request
};

/// Whether the rest of a file is lost, not one sample.
bool is_of_file(const Error& error) {
  return error.where().member.empty();
}

/// The first of each kind, with a count of the others.
std::vector<Error> first_of_each_kind(const std::vector<Error>& found, const std::string& dataset) {
  constexpr std::size_t kMostKinds = 24;
  std::vector<std::pair<const Error*, std::uint64_t>> kinds;  // the others
  std::map<std::string, std::size_t> numbers;
  for (const Error& error : found) {
    std::string kind = source::kind_of_problem(error.problem());
    // A whole file is to be brought again, so each is named.
    if (is_of_file(error)) kind += error.where().path;
    if (!numbers.contains(kind) && kinds.size() >= kMostKinds) kind.clear();
    const auto [number, is_new] = numbers.try_emplace(std::move(kind), kinds.size());
    if (is_new) {
      kinds.emplace_back(&error, 0);
    } else {
      ++kinds[number->second].second;
    }
  }
  const auto rest = numbers.find("");
  const Error* const kinds_end = rest == numbers.end() ? nullptr : kinds[rest->second].first;
  std::vector<Error> errors;
  for (const auto& [first, others] : kinds) {
    const std::string_view what = first == kinds_end ? "of other kinds" : "like it";
    const std::string more = others == 0 ? ""
                                         : fmt::format(", and {} more {} in the first files of {}", others,
                                                       what, printable(dataset));
    errors.emplace_back(first->problem() + more, first->where(), Remedy::skip_bad_samples);
  }
  return errors;
}

/// Throws Error where tables give one sample two transcripts.
void check_tables_agree(const InputStream& stream, const IntakeOptions& options, base::Reporter& reporter) {
  if (options.tables.size() < 2) return;
  for (const source::SourceFile& file : stream.files) {
    reporter.check_stop();
    for (const source::CorpusUtterance& utterance : file.utterances) {
      if (!options.keys.wants(utterance.key)) continue;
      for (const std::string& key : possible_keys(utterance.key, options)) {
        const std::string conflict = fields_in(options.tables, stream.name, key, {}).conflict;
        if (!conflict.empty())
          throw Error(conflict, {.path = file.path, .member = key}, Remedy::skip_bad_samples);
      }
    }
  }
}

/// A mistake where all samples of the dataset were seen, and too many lack a transcript; else a warning.
void tell_missing_texts(const InputStream& stream, const SeenSamples& seen, const IntakeOptions& options,
                        base::Reporter& reporter, Faults& faults) {
  if (seen.textless.samples == 0 || options.missing_text == source::MissingText::allowed) return;
  Budget budget(kShardBytesRead);
  const bool are_all_read = std::ranges::all_of(
      stream.files, [&](const source::SourceFile& file) { return is_read(file, budget); });
  if (!are_all_read || !source::is_refused(seen.texts, options.missing_text))
    return reporter.warn(as_warned(textless_warning(seen.textless), options));
  faults.attempt([&] {
    throw Error(fmt::format("dataset '{}': {}", printable(stream.name), source::missing_text(seen.texts)),
                at(seen.textless.source), Remedy::allow_missing_text);
  });
}

}  // namespace

namespace {

/// Throws UsageError where a sample of one dataset could pass for one of another: 'b_x' of 'a' and 'x' of
/// 'a_b' would both be called 'a_b_x'.
void check_prefixes_differ(const Inputs& inputs, const IntakeOptions& options) {
  if (!options.prefixes_keys || options.on_duplicate != OnDuplicate::first) return;
  for (const DatasetInput& one : inputs.datasets) {
    for (const DatasetInput& other : inputs.datasets) {
      const std::string longer = shard::safe_key(other.name);
      const bool is_same = longer == shard::safe_key(one.name) && one.name < other.name;
      if (!is_same && !longer.starts_with(shard::safe_key(one.name) + "_")) continue;
      throw UsageError(fmt::format("with the names '{}' and '{}' in front, keys of both datasets may be the "
                                   "same, and the second sample would be left out",
                                   printable(one.name), printable(other.name)),
                       {}, "give one of them another name: NAME=SOURCE");
    }
  }
}

}  // namespace

void check_keys(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter) {
  check_prefixes_differ(inputs, options);
  if (!compares_keys(inputs, options)) return;
  const bool is_certain = !may_leave_out(options);
  const auto error = RepeatedKeys(inputs, options).error(is_certain);
  if (error && is_certain) throw *error;
  if (error) reporter.warn(*error);
}

std::uint64_t files_of_unknown_keys(const Inputs& inputs) {
  std::uint64_t count = 0;
  for (const InputStream& stream : inputs.streams) {
    Budget budget(kShardBytesRead);
    for (const source::SourceFile& file : stream.files)
      count += file.kind == source::SourceKind::shard && !is_read(file, budget) ? 1 : 0;
  }
  return count;
}

BadInput check_first_files(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                           Faults& faults) {
  IntakeOptions undecoded = options;
  undecoded.form = {};
  undecoded.needs_speakers = false;  // check_speakers() lists these
  BadInput bad;
  std::vector<KnownKey> keys;
  for (const InputStream& stream : inputs.streams) {
    SeenSamples seen;
    FileChecks checks(stream, undecoded, reporter, seen);
    checks.run();
    bad.shards += checks.damaged_shards();
    bad.samples += checks.found().size() - std::min(checks.found().size(), checks.damaged_shards());
    std::move(seen.keys.begin(), seen.keys.end(), std::back_inserter(keys));
    if (seen.texts.with_text != 0) tell_missing_texts(stream, seen, options, reporter, faults);
    if (seen.left_members.samples != 0) reporter.warn(left_members_warning(seen.left_members));
    if (options.on_error != OnError::skip)
      faults.attempt([&] { check_tables_agree(stream, options, reporter); });
    for (const Error& error : first_of_each_kind(checks.found(), stream.name)) {
      if (options.on_error == OnError::skip) {
        reporter.warn(Error(error.problem() + "; left out", error.where()));
      } else {
        faults.attempt([&] { throw error; });
      }
    }
  }
  if (!compares_keys(inputs, options)) return bad;
  RepeatedKeys repeated(inputs, options);
  repeated.compare_with(std::move(keys));
  if (const auto error = repeated.error(true)) faults.attempt([&] { throw *error; });
  return bad;
}

}  // namespace shardmill::pipeline
