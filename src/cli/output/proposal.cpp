
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"
#include "cli/command_line.hpp"
#include "cli/output/shared_lines.hpp"
#include "deal/shard_count.hpp"
#include "source/corpora.hpp"
#include "source/detection.hpp"
#include "source/missing_text.hpp"
#include "source/source_set.hpp"
#include "source/source_spec.hpp"
#include "source/split.hpp"

namespace shardmill::cli {

namespace {

using check::DatasetReport;
using check::InspectSummary;
using check::Severity;

constexpr double kSpreadToMend = 0.01;     // of the mean
constexpr double kLongSampleSeconds = 60;  // more than most trainings take
constexpr double kSecondsToSplit = 3600;

std::uint64_t count_of(const DatasetReport& dataset, const check::IssueKind& kind) {
  const auto found = dataset.issues.all().find(kind);
  return found == dataset.issues.all().end() ? 0 : found->second.count;
}

/// Things that --on-error skip leaves out.
std::uint64_t bad_samples(const DatasetReport& dataset) {
  namespace kinds = check::issue;
  std::uint64_t samples = 0;
  for (const auto& [kind, issue] : dataset.issues.all()) {
    const bool is_bad =
        kind == kinds::kBadTranscript || kind == kinds::kNoAudio || kind == kinds::kSeveralAudio;
    if (kind.severity == Severity::damage || is_bad) samples += issue.count;
  }
  return samples;
}

std::set<source::Split> splits_in(const DatasetReport& dataset) {
  std::set<source::Split> splits;
  for (const auto& [subset, samples] : dataset.contents.subsets) {
    if (!subset.empty()) splits.insert(source::split_of(subset));
  }
  return splits;
}

/// Collects the words of the command and the decisions.
class Proposer {
 public:
  Proposer(const InspectSummary& summary, const check::InspectOptions& options)
      : summary_(summary), options_(options), sources_(options.sources) {}

  std::optional<Proposal> make() {
    for (const DatasetReport& dataset : summary_.datasets) {
      if (leave_out_unread(dataset)) continue;
      look_for_texts(dataset);
      look_for_long_samples(dataset);
      splits_.merge(splits_in(dataset));
    }
    if (sources_.empty()) return std::nullopt;
    choose_subset();
    allow_missing_text();
    tell_keys_apart();
    bring_to_one_form();
    leave_out_damage();
    choose_shards();
    std::vector<std::string> words{"shardmill", "repack"};
    for (const std::string& source : sources_) words.push_back(base::shell_quoted(source));
    words.insert(words.end(), {"--out", "mixed"});
    repeat_given_options(words);
    words.insert(words.end(), more_.begin(), more_.end());
    return Proposal{.decisions = std::move(decisions_), .command = fmt::format("{}", fmt::join(words, " "))};
  }

 private:
  void add(std::string option, const std::string& value = {}) {
    more_.push_back(std::move(option));
    if (!value.empty()) more_.push_back(base::shell_quoted(value));
  }

  /// What says how to read the sources.
  void repeat_given_options(std::vector<std::string>& words) const {
    const auto add_named = [&](const char* option, const std::string& name, const std::string& value) {
      words.insert(words.end(),
                   {option, base::shell_quoted(name.empty() ? value : fmt::format("{}={}", name, value))});
    };
    for (const pipeline::TableFile& labels : options_.labels)
      add_named("--labels", labels.dataset, labels.path);
    const source::TreeOptions& tree = options_.tree;
    if (!tree.text_field.empty()) add_named("--text-field", "", tree.text_field);
    for (const auto& [name, field] : tree.text_fields) add_named("--text-field", name, field);
    if (!tree.audio_root.empty()) add_named("--audio-root", "", tree.audio_root);
  }

  /// A corpus that is known, and that shardmill cannot read.
  bool leave_out_unread(const DatasetReport& dataset) {
    if (dataset.contents.with_text != 0) return false;
    for (auto source = sources_.begin(); source != sources_.end(); ++source) {
      const std::string path = source::parse_source(*source).path;
      if (source::dataset_name_of(*source) != dataset.name || !base::is_folder(path)) continue;
      const source::FolderGuess guess = source::guess_folder(path);
      if (guess.corpus.empty() || guess.is_read) continue;
      decide(dataset, fmt::format("this looks like {}, which shardmill cannot read yet", guess.corpus));
      sources_.erase(source);
      return true;
    }
    return false;
  }

  void choose_subset() {
    if (splits_.size() < 2) return;
    const bool has_train = splits_.contains(source::Split::train);
    decisions_.push_back(fmt::format(
        "there is audio of several splits: --subset {}",
        has_train ? "train takes the samples for training, all takes all of them, mixed"
                  : "all takes all of them, mixed; with a name, only the subset of that name is taken"));
    add("--subset", has_train ? "train" : "all");
  }

  /// Whether it is a corpus that has no transcripts by nature.
  static bool is_textless(const DatasetReport& dataset) {
    const auto corpora = dataset.corpora();
    return !corpora.empty() && std::ranges::all_of(corpora, [](const std::string& prefix) {
      const source::Corpus* corpus = source::corpus_with_prefix(prefix);
      return corpus != nullptr && corpus->is_textless;
    });
  }

  /// A table that lies beside audio without transcripts.
  void look_for_texts(const DatasetReport& dataset) {
    if (is_textless(dataset)) return;
    const TextCount texts{.samples = dataset.contents.samples, .with_text = dataset.contents.with_text};
    // Bad samples are left out, and may be among those with a transcript.
    const std::uint64_t bad = std::min(bad_samples(dataset), texts.with_text);
    const TextCount good{.samples = texts.samples - bad, .with_text = texts.with_text - bad};
    const bool are_some_missing = texts.misses_too_many() || good.misses_too_many() ||
                                  texts.without_text() > count_of(dataset, check::issue::kBadTranscript);
    if (!are_some_missing) return;
    if (texts.with_text != 0) return leave_out_textless(dataset, texts);
    for (std::string& argument : sources_) {
      const source::SourceSpec spec = source::parse_source(argument);
      if (source::dataset_name_of(argument) != dataset.name) continue;
      if (source::has_table_name(spec.path) && base::exists(spec.path)) {
        const auto columns = source::look_into_table(spec.path);
        if (columns && !columns->likely_text.empty()) return name_text(dataset, *columns);
      }
      if (const auto below = source::corpora_below(spec.path); !below.sources.empty())
        return take_corpora_below(dataset, argument, below);
      const auto table = source::table_for(spec.path);
      if (!table) {
        if (propose_labels(dataset, spec.path)) return;
        continue;
      }
      const auto columns = source::look_into_table(table->paths.front());
      if (table->cuts_audio) {
        argument = fmt::format("{}={}", dataset.name, table->paths.front());
      } else {
        for (const std::string& each : table->paths)
          add("--metadata", fmt::format("{}={}", dataset.name, each));
        look_for_rows(dataset, spec.path, table->paths, columns ? columns->likely_text : std::string());
      }
      if (!columns || columns->likely_text.empty()) return;
      return name_text(dataset, *columns);
    }
    lacks_all_text_ = true;
    decide(dataset, fmt::format("no sample has a transcript: --metadata {}=FILE names a table of them, "
                                "--allow-missing-text does without",
                                dataset.name));
  }

  void take_corpora_below(const DatasetReport& dataset, std::string& source,
                          const source::CorporaBelow& below) {
    std::vector<std::string> instead;
    for (const std::string& each : below.sources) instead.push_back(fmt::format("{}={}", dataset.name, each));
    const auto place = sources_.begin() + (&source - sources_.data());
    sources_.insert(sources_.erase(place), instead.begin(), instead.end());
    decide(dataset,
           fmt::format("{} {}: texts and segments are read there, and nothing else; give other audio "
                       "as a source of its own",
                       fmt::join(below.sources, ", "),
                       fmt::format("{} a {}", below.sources.size() == 1 ? "is" : "are each", below.kind)));
  }

  void leave_out_textless(const DatasetReport& dataset, const TextCount& texts) {
    lacks_some_text_ = true;
    decide(dataset, fmt::format("{}; --require-text leaves these out, --allow-missing-text takes them",
                                source::missing_text(texts)));
  }

  /// The tables that are proposed may lack rows.
  void look_for_rows(const DatasetReport& dataset, const std::string& folder,
                     const std::vector<std::string>& tables, const std::string& text_field) {
    try {
      const TextCount texts = source::texts_in_tables(folder, tables, text_field);
      if (texts.misses_too_many() && texts.with_text != 0) leave_out_textless(dataset, texts);
    } catch (const Error&) {
      // What is wrong with a table is an error of the proposed command, which names the line.
    }
  }

  bool propose_labels(const DatasetReport& dataset, const std::string& path) {
    std::vector<std::string> labels;
    for (const pipeline::TableFile& given : options_.labels) {
      if (given.is_for(dataset.name)) labels.push_back(given.path);
    }
    if (labels.empty() && base::exists(path) && !source::has_table_name(path)) {
      labels = source::tables_beside(path);
      for (const std::string& each : labels) {
        add("--labels", fmt::format("{}={}", dataset.name, each));
        if (const std::string subset = source::subset_of_table(each); !subset.empty())
          splits_.insert(source::split_of(subset));
      }
    }
    if (labels.empty()) return false;
    const auto columns = source::look_into_table(labels.front());
    if (columns && !columns->likely_text.empty()) name_text(dataset, *columns);
    return true;
  }

  void name_text(const DatasetReport& dataset, const source::TextlessTable& table) {
    decide(dataset, fmt::format("is {} the transcript? There are the columns {}",
                                printable(table.likely_text), table.columns));
    add("--text-field", fmt::format("{}={}", dataset.name, table.likely_text));
  }

  /// Without all texts of a dataset, --require-text would leave out all of it.
  void allow_missing_text() {
    if (lacks_all_text_) {
      add("--allow-missing-text");
    } else if (lacks_some_text_) {
      add("--require-text");
    }
  }

  /// True if all samples of a folder of Parquet files may be in another folder, too.
  static bool has_only_doubles(const DatasetReport& dataset) {
    const std::uint64_t keys = count_of(dataset, check::issue::kDuplicateKey);
    if (keys == 0) return true;
    std::map<std::string, std::uint64_t> samples;  // of each folder
    for (const check::ShardReport& shard : dataset.shards) {
      if (!shard.path.ends_with(".parquet")) return false;
      samples[shard.path.substr(0, shard.path.rfind('/') + 1)] += shard.contents.samples;
    }
    return samples.size() > 1 && std::ranges::any_of(samples, [&](const auto& folder) {
             return folder.second != 0 && folder.second <= keys;
           });
  }

  void tell_keys_apart() {
    std::uint64_t keys = 0;
    for (const DatasetReport& dataset : summary_.datasets)
      keys += count_of(dataset, check::issue::kDuplicateKey);
    if (keys == 0) return;
    const bool are_doubles = std::ranges::all_of(summary_.datasets, has_only_doubles);
    if (are_doubles) {
      decisions_.push_back(
          fmt::format("{} in several folders, as in a small subset that a large one holds, too: the same "
                      "audio is taken once, "
                      "and other audio of the same name gets a number",
                      keys == 1 ? "1 key is" : base::format_count(keys, "key") + " are"));
      add("--on-duplicate", "rename");
      return add("--on-duplicate-audio", "first");
    }
    decisions_.push_back(
        fmt::format("{} more than once: --on-duplicate rename takes all and adds a number to the later keys; "
                    "prefix tells datasets apart, first takes one sample of each key",
                    keys == 1 ? "1 key comes" : base::format_count(keys, "key") + " come"));
    add("--on-duplicate", "rename");
  }

  void look_for_long_samples(const DatasetReport& dataset) {
    const double longest = seconds_of(dataset.contents.longest);
    if (!dataset.contents.has_audio() || longest <= kLongSampleSeconds) return;
    decide(dataset,
           fmt::format("its longest sample lasts {}: --labels {}=FILE cuts recordings, --max-duration 30s "
                       "leaves out longer samples",
                       base::format_audio(longest), dataset.name));
  }

  void bring_to_one_form() {
    std::vector<manifest::DatasetRecord::AudioKind> kinds;
    std::set<std::string> containers;
    for (const DatasetReport& dataset : summary_.datasets) {
      for (const auto& [form, amount] : dataset.contents.forms) {
        kinds.push_back({.format = form.format, .sample_rate = form.sample_rate, .channels = form.channels});
        containers.insert(form.format.substr(0, form.format.find('/')));
      }
    }
    const std::string form = options_for_one_form(kinds);
    if (!form.empty()) more_.push_back(form);
    if (form.find("--channels") != form.npos)
      decisions_.emplace_back(
          "some audio has several channels: --channels mono takes their mean, --channels split "
          "makes a sample of each, as for calls with a speaker on each side");
    if (containers.size() > 1) add("--audio", "flac");
  }

  void leave_out_damage() {
    std::uint64_t samples = summary_.unusable.size();
    bool is_known = true;  // how many samples are lost
    for (const DatasetReport& dataset : summary_.datasets) {
      samples += bad_samples(dataset);
      look_for_lost_audio(dataset);
      for (const auto& [kind, issue] : dataset.issues.all()) {
        namespace kinds = check::issue;
        const bool is_of_samples = kind == kinds::kEmptyAudio || kind == kinds::kTruncatedAudio ||
                                   kind == kinds::kBadAudio || kind == kinds::kLostUtterance;
        if (kind.severity == Severity::damage && !is_of_samples) is_known = false;
      }
    }
    if (samples == 0) return;
    decisions_.push_back(
        fmt::format("{} damaged, bad or missing, see above: --on-error skip leaves that out",
                    samples == 1 ? "1 thing is" : base::format_count(samples) + " things are"));
    add("--on-error", "skip");
    add("--max-rejects", is_known ? fmt::format("{}", samples) : "all");
  }

  /// With --on-error skip, that much is an error of its own.
  void look_for_lost_audio(const DatasetReport& dataset) {
    const std::uint64_t lost = dataset.without_audio + count_of(dataset, check::issue::kLostUtterance);
    const std::uint64_t all = dataset.contents.samples + lost;
    if (lost <= all / 10) return;
    if (is_textless(dataset)) {
      return decide(dataset, fmt::format("{} of {} audio files are missing: bring them back", lost, all));
    }
    decide(dataset, fmt::format("{} of {} transcripts have no audio: bring it back, or go on without it with "
                                "--require-text",
                                lost, all));
    if (!lacks_all_text_ && !std::exchange(lacks_some_text_, true)) add("--require-text");
  }

  void choose_shards() {
    deal::InputEstimate amount;
    double seconds = 0;
    for (const DatasetReport& dataset : summary_.datasets) {
      amount.samples += dataset.contents.samples;
      amount.bytes += dataset.contents.tar_bytes;
      seconds += seconds_of(dataset.contents.duration);
    }
    amount.seconds = static_cast<std::uint64_t>(seconds);
    if (amount.samples != 0 && !deal::is_trial(amount)) {
      const deal::Team team{.world_size = 8, .workers = 4};
      decisions_.emplace_back(
          "the number of shards is for 8 ranks x 4 workers: --ranks R --workers K --dry-run "
          "shows those for others");
      add("--shards", fmt::format("{}", deal::advise_shards(amount, team).shards));
    }
    if (seconds >= kSecondsToSplit)
      decisions_.emplace_back("--split dev=10m,test=10m sets audio aside, by speaker");
    if (options_.allow_commands) add("--allow-commands");
  }

  void decide(const DatasetReport& dataset, const std::string& what) {
    decisions_.push_back(fmt::format("{}: {}", printable(dataset.name), what));
  }

  const InspectSummary& summary_;
  const check::InspectOptions& options_;
  std::vector<std::string> sources_;
  std::vector<std::string> more_;
  std::vector<std::string> decisions_;
  std::set<source::Split> splits_;
  bool lacks_some_text_ = false;
  bool lacks_all_text_ = false;
};

bool is_lossless(const std::string& encoding) {
  return encoding.starts_with("pcm") || encoding.starts_with("float");
}

bool needs_work(const DatasetReport& dataset) {
  return dataset.issues.has(Severity::damage) || dataset.issues.has(Severity::hazard) ||
         check::Evenness(dataset.shard_seconds()).spread_of_mean() > kSpreadToMend;
}

/// Which repack does not mix unless it is told to.
bool has_several_splits(const std::vector<DatasetReport>& datasets) {
  std::set<source::Split> splits;
  for (const DatasetReport& dataset : datasets) splits.merge(splits_in(dataset));
  return splits.size() > 1;
}

}  // namespace

std::optional<Proposal> proposal_for(const InspectSummary& summary, const check::InspectOptions& options) {
  const auto& datasets = summary.datasets;
  const bool is_mix = datasets.size() > 1 || !summary.unusable.empty() || has_several_splits(datasets) ||
                      std::any_of(datasets.begin(), datasets.end(), needs_work);
  if (summary.fast || !is_mix) return std::nullopt;
  return Proposer(summary, options).make();
}

std::string options_for_one_form(const std::vector<manifest::DatasetRecord::AudioKind>& kinds) {
  constexpr std::uint32_t kUsualRate = 16000;
  std::set<std::uint32_t> rates;
  std::set<std::uint32_t> channels;
  std::set<std::string> encodings;
  for (const auto& kind : kinds) {
    rates.insert(kind.sample_rate);
    channels.insert(kind.channels);
    const std::string encoding = kind.format.substr(kind.format.find('/') + 1);
    encodings.insert(is_lossless(encoding) ? encoding : "pcm16");  // which lossy audio is decoded to
  }
  std::vector<std::string> options;
  if (rates.size() > 1)
    options.push_back(fmt::format("--sample-rate {}", std::min(kUsualRate, *rates.rbegin())));
  if (channels.size() > 1) options.emplace_back("--channels mono");
  if (encodings.size() > 1) options.emplace_back("--bits 16");
  return fmt::format("{}", fmt::join(options, " "));
}

}  // namespace shardmill::cli
