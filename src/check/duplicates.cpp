#include "check/duplicates.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "audio/quality.hpp"
#include "manifest/reject.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/read_through.hpp"
#include "shard/sample_text.hpp"
#include "source/source_set.hpp"

namespace shardmill::check {

namespace {

/// What is compared of one sample.
struct Heard {
  base::Xxh128 sound;
  base::Xxh128 bytes;
  base::Xxh128 words{};  // hash of speaker and transcript
  bool has_words = false;
  std::uint32_t file =
      0;  // number of the file; those of the sources come before those that they are compared with
  std::uint32_t number = 0;
  std::string key{};
};

struct File {
  const source::SourceFile* file = nullptr;
  std::string dataset;
  bool is_against = false;
};

std::span<const std::byte> audio_in(const pipeline::Utterance& utterance) {
  return std::span<const std::byte>(utterance.packed.bytes)
      .subspan(static_cast<std::size_t>(utterance.packed.audio_offset),
               static_cast<std::size_t>(utterance.record.audio_bytes));
}

class Search {
 public:
  Search(const DuplicateOptions& options, pipeline::Workers& workers, base::Reporter& reporter)
      : options_(options),
        workers_(workers),
        reporter_(reporter),
        sources_(find(options.sources)),
        others_(options.against.empty() ? source::SourceSet() : find(options.against)) {
    add_files(sources_, false);
    add_files(others_, true);
  }

  DuplicateSummary run() {
    reporter_.phase("listening");
    workers_.for_each(files_.size(), [&](std::size_t index) { read(static_cast<std::uint32_t>(index)); });
    std::sort(heard_.begin(), heard_.end(), [](const Heard& a, const Heard& b) {
      return std::pair(a.file, a.number) < std::pair(b.file, b.number);
    });
    group_sounds();
    group_words();
    std::sort(summary_.unusable.begin(), summary_.unusable.end(),
              [](const Error& a, const Error& b) { return std::string_view(a.what()) < b.what(); });
    return std::move(summary_);
  }

 private:
  using Numbers = std::vector<std::size_t>;  // in heard_

  source::SourceSet find(const std::vector<std::string>& arguments) const {
    return source::find_sources(
        arguments, {.on_unusable = source::OnUnusable::collect, .allow_commands = options_.allow_commands});
  }

  void add_files(const source::SourceSet& set, bool is_against) {
    for (const Error& warning : set.warnings) reporter_.warn(warning);
    for (const source::Unusable& unusable : set.unusable) summary_.unusable.push_back(unusable.error);
    for (const source::SourceDataset& dataset : set.datasets) {
      for (const source::SourceFile& file : dataset.files) {
        files_.push_back({.file = &file, .dataset = dataset.name, .is_against = is_against});
        reporter_.progress().input_bytes_total += file.bytes;
      }
    }
  }

  void read(std::uint32_t number) {
    const File& file = files_[number];
    std::uint32_t count = 0;
    try {
      pipeline::scan_source(*file.file, options_.key_rule, workers_, reporter_,
                            [&](pipeline::SourceItem&& item) { take(number, count++, std::move(item)); });
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      const std::lock_guard lock(mutex_);
      summary_.unusable.push_back(error);
    }
  }

  void take(std::uint32_t file, std::uint32_t number, pipeline::SourceItem&& item) {
    const pipeline::Origin origin{.dataset_name = files_[file].dataset, .source = files_[file].file->path};
    for (const pipeline::Measured& measured : pipeline::measure(std::move(item), origin, {})) {
      if (const auto* reject = std::get_if<manifest::Reject>(&measured.outcome)) {
        miss(*reject);
      } else {
        hear(file, number, std::get<pipeline::Utterance>(measured.outcome));
      }
    }
  }

  /// Reports samples that cannot be compared: one of them may be a duplicate.
  void miss(const manifest::Reject& reject) {
    if (!manifest::is_error(reject.reason)) return;
    const std::string member = reject.key.value_or(reject.member.value_or(""));
    const std::lock_guard lock(mutex_);
    summary_.unusable.emplace_back(reject.problem, Where{.path = reject.source, .member = member});
  }

  void hear(std::uint32_t file, std::uint32_t number, const pipeline::Utterance& utterance) {
    const manifest::SampleRecord& record = utterance.record;
    const auto sound = audio::sound_hash(audio_in(utterance));
    Heard heard{.sound = sound.value_or(record.xxh3),
                .bytes = record.xxh3,
                .file = file,
                .number = number,
                .key = record.key};
    const std::string speaker = shard::speaker_in(record.facts);
    if (!speaker.empty() && record.text && !record.text->empty()) {
      heard.has_words = true;
      // Different corpora may use the same name for different people.
      const std::string corpus = options_.against.empty() ? files_[file].dataset : "";
      heard.words = base::xxh3_128(base::as_bytes(corpus + '\0' + speaker + '\0' + *record.text));
    }
    const std::lock_guard lock(mutex_);
    ++(files_[file].is_against ? summary_.against_samples : summary_.samples);
    if (!sound) ++summary_.undecodable;
    if (!heard.has_words) {
      ++summary_.without_speaker;
    } else if (auto [words, is_new] = words_.try_emplace(heard.words); !is_new) {
      words->second = {speaker, *record.text};
    }
    heard_.push_back(std::move(heard));
  }

  /// When the sources are compared with others, a group must have samples of both.
  bool counts(const Numbers& numbers) const {
    if (numbers.size() < 2) return false;
    if (options_.against.empty()) return true;
    const auto is_against = [&](std::size_t i) { return files_[heard_[i].file].is_against; };
    return std::any_of(numbers.begin(), numbers.end(), is_against) &&
           !std::all_of(numbers.begin(), numbers.end(), is_against);
  }

  DuplicateGroup group_of(const Numbers& numbers) const {
    DuplicateGroup group;
    for (const std::size_t i : numbers) {
      const File& file = files_[heard_[i].file];
      group.samples.push_back({.dataset = file.dataset,
                               .source = file.file->path,
                               .key = heard_[i].key,
                               .is_against = file.is_against});
    }
    return group;
  }

  template <typename Key>
  std::vector<Numbers> grouped(Key key) const {
    std::map<base::Xxh128, Numbers> by_key;
    for (std::size_t i = 0; i < heard_.size(); ++i) {
      if (const auto of = key(heard_[i])) by_key[*of].push_back(i);
    }
    std::vector<Numbers> groups;
    for (auto& [of, numbers] : by_key) {
      if (counts(numbers)) groups.push_back(std::move(numbers));
    }
    std::sort(groups.begin(), groups.end());
    return groups;
  }

  void group_sounds() {
    for (const Numbers& numbers : grouped([](const Heard& heard) { return std::optional(heard.sound); })) {
      DuplicateGroup& group = summary_.audio.emplace_back(group_of(numbers));
      group.same_bytes = std::all_of(numbers.begin(), numbers.end(), [&](std::size_t i) {
        return heard_[i].bytes == heard_[numbers.front()].bytes;
      });
    }
  }

  void group_words() {
    const auto words = [](const Heard& heard) {
      return heard.has_words ? std::optional(heard.words) : std::nullopt;
    };
    for (const Numbers& numbers : grouped(words)) {
      const bool is_one_sound = std::all_of(numbers.begin(), numbers.end(), [&](std::size_t i) {
        return heard_[i].sound == heard_[numbers.front()].sound;
      });
      if (is_one_sound) continue;  // reported already
      DuplicateGroup& group = summary_.texts.emplace_back(group_of(numbers));
      std::tie(group.speaker, group.text) = words_.at(heard_[numbers.front()].words);
    }
  }

  const DuplicateOptions& options_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  source::SourceSet sources_;
  source::SourceSet others_;
  std::vector<File> files_;
  std::mutex mutex_;  // guards everything below
  std::vector<Heard> heard_;
  /// Speaker, as JSON, and transcript; empty while only one sample has them.
  std::map<base::Xxh128, std::pair<std::string, std::string>> words_;
  DuplicateSummary summary_;
};

}  // namespace

DuplicateSummary find_duplicates(const DuplicateOptions& options, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  DuplicateSummary summary = Search(options, workers, reporter).run();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::check
