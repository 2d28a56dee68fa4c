// Removal: what an update takes out of a dataset: samples by their keys, speakers, and whole parts of it.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hash/hash.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/intake_options.hpp"
#include "update/options.hpp"

namespace shardmill::update {

class Removal {
 public:
  /// Reads the files that `options` name. Throws Error when one of them lists nothing.
  explicit Removal(const UpdateOptions& options);

  /// True when the sample is to be removed. Any thread may ask.
  bool takes(const manifest::WholeSampleRecord& record) const;
  /// True if it is removed because all samples of its speaker are.
  bool takes_speaker_of(const manifest::WholeSampleRecord& record) const;
  /// The same as takes(), and remembers which of the names were found. Any thread may call it.
  bool find(const manifest::WholeSampleRecord& record);
  /// Throws Error, which names a few of them, when find() met no sample of some keys, speakers or datasets,
  /// or when a speaker's name belongs to two datasets.
  void check_all_found() const;
  /// Datasets and speakers whose samples find() met.
  const std::set<std::pair<std::string, std::string>>& found_speakers() const { return found_speakers_; }
  /// Of all names. The order of the lines makes no difference.
  base::Xxh128 hash() const;

 private:
  /// The lines of a file, and which of them were found.
  struct Names {
    std::string path;  // empty: not given
    pipeline::KeyList list{};
    std::vector<bool> found{};
  };
  struct Match {
    std::optional<std::size_t> key;
    std::optional<std::size_t> speaker;
    std::optional<std::size_t> speaker_of_dataset;  // of the line DATASET/SPEAKER
    std::optional<std::size_t> dataset;

    bool any() const { return key || speaker || speaker_of_dataset || dataset; }
  };

  static Names read(const std::string& path);
  Match match(const manifest::WholeSampleRecord& record) const;
  static void check_found(const Names& names, std::string_view what, std::string_view advice);
  void check_datasets_found() const;

  Names keys_;
  Names speakers_;
  std::vector<std::string> datasets_;
  std::vector<bool> datasets_found_;
  std::vector<std::string> speaker_datasets_;  // by number of a plain speaker's line: where it was found
  std::set<std::pair<std::string, std::string>> found_speakers_;
  std::mutex mutex_;
};

}  // namespace shardmill::update
