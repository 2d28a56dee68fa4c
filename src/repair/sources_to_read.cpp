#include "repair/sources_to_read.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "manifest/record_reader.hpp"
#include "source/source_set.hpp"

namespace shardmill::repair {

namespace fs = std::filesystem;

namespace {

class Search {
 public:
  Search(const dataset::Recipe& recipe, bool allow_commands, const WantedSamples& samples)
      : recipe_(recipe), allow_commands_(allow_commands) {
    for (const auto& sample : samples)
      missing_[sample->record.source].emplace(sample->record.source_key, sample.get());
  }

  SourcesToRead run(const std::vector<manifest::DatasetRecord::Source>& given) {
    for (const manifest::DatasetRecord::Source& each : given) look_into(each);
    // Only now it is known what the finished datasets do not have.
    for (source::SourceFile& file : others_) {
      const auto samples = missing_.find(file.path);
      if (samples != missing_.end()) read(std::move(file), samples);
    }
    if (!missing_.empty()) name_lost();
    while (!missing_.empty()) read_alone(missing_.begin());
    return std::move(found_);
  }

 private:
  using Missing = std::map<std::string, std::multimap<std::string, WantedSample*>>;

  /// Opens only those files that are wanted.
  void look_into(const manifest::DatasetRecord::Source& given) {
    try {
      source::SourceSet set =
          source::find_sources({given.dataset + "=" + given.path},
                               {.on_unusable = source::OnUnusable::collect,
                                .allow_commands = allow_commands_,
                                .needed = [&](const std::string& path) { return missing_.contains(path); },
                                .tree = recipe_.intake.tree});
      for (source::SourceDataset& dataset : set.datasets) {
        if (!dataset.parts.empty() || is_of_dataset(dataset)) datasets_.push_back(given.path);
        for (source::SourceFile& file : dataset.files) look_into(std::move(file));
      }
      for (const source::Unusable& one : set.unusable) {
        if (source::is_loss(one)) lost_files_.emplace_back(one.error.what());
      }
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      found_.problems.emplace_back(error.what());
    }
  }

  static bool is_of_dataset(const source::SourceDataset& dataset) {
    return !dataset.files.empty() && dataset.files.front().listing;
  }

  void look_into(source::SourceFile&& file) {
    if (!file.listing) {
      if (missing_.contains(file.path)) others_.push_back(std::move(file));
      return;
    }
    SourceToRead to_read{.file = std::move(file), .wanted = {}};
    manifest::RecordReader lines(to_read.file.listing->manifest);
    for (manifest::SampleRecord line; lines.next(line);) take_from(line, to_read);
    if (!to_read.wanted.empty()) found_.files.push_back(std::move(to_read));
  }

  /// The sample of another dataset, by its line there, serves all that were made of it.
  void take_from(const manifest::SampleRecord& line, SourceToRead& to_read) {
    const auto source = missing_.find(line.source);
    if (source == missing_.end()) return;
    auto [sample, end] = source->second.equal_range(line.source_key);
    while (sample != end) {
      const bool is_same = hash_in_source(sample->second->record) == hash_in_source(line);
      if (is_same) to_read.wanted.emplace(line.key, sample->second);
      sample = is_same ? source->second.erase(sample) : std::next(sample);
    }
    if (source->second.empty()) missing_.erase(source);
  }

  /// What is left was in a part of a finished dataset that is lost, or was taken out of it.
  void name_lost() {
    if (datasets_.empty()) return;
    for (std::string& problem : lost_files_) found_.problems.push_back(std::move(problem));
    const auto& [path, samples] = *missing_.begin();
    found_.problems.push_back(fmt::format("{}: has no sample any more that was made of '{}' in {}",
                                          datasets_.front(), samples.begin()->first, path));
  }

  void read(source::SourceFile&& file, Missing::iterator samples) {
    found_.files.push_back({.file = std::move(file), .wanted = std::move(samples->second)});
    missing_.erase(samples);
  }

  /// A shard of a source that is not whole any more.
  void read_alone(Missing::iterator samples) {
    std::error_code unknown;
    const std::string path = samples->first;
    if (fs::is_regular_file(path, unknown))
      return read({.path = path, .bytes = fs::file_size(path, unknown)}, samples);
    found_.problems.push_back(path + " is not there any more");
    missing_.erase(samples);
  }

  const dataset::Recipe& recipe_;
  const bool allow_commands_;
  Missing missing_;  // samples that no file was found for, by their sources and the keys there
  std::vector<source::SourceFile> others_;  // files that are no shards of finished datasets
  std::vector<std::string> datasets_;       // finished ones among the sources
  std::vector<std::string> lost_files_;     // with their problems
  SourcesToRead found_;
};

}  // namespace

const base::Xxh128& hash_in_source(const manifest::SampleRecord& record) {
  return record.source_xxh3 ? *record.source_xxh3 : record.xxh3;
}

SourcesToRead find_sources_to_read(const std::vector<manifest::DatasetRecord::Source>& given,
                                   const dataset::Recipe& recipe, bool allow_commands,
                                   const WantedSamples& samples) {
  return Search(recipe, allow_commands, samples).run(given);
}

}  // namespace shardmill::repair
