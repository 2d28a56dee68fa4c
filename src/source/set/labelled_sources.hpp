// LabelledSources: the datasets whose samples label files name, and the audio of each.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/corpus_builder.hpp"
#include "source/labels/label_table.hpp"
#include "source/source_file.hpp"
#include "source/source_set.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// Audio wherever it lies, and label files that say which stretches of it are samples.
class LabelCorpus final : public TreeCorpus {
 public:
  /// `folders`: absolute, with a slash at the end; only the path below them identifies audio.
  LabelCorpus(std::shared_ptr<const LabelTable> table, AudioRoots roots, AudioChoices choices,
              std::vector<std::string> folders)
      : table_(std::move(table)),
        roots_(std::move(roots)),
        choices_(std::move(choices)),
        folders_(std::move(folders)),
        is_found_(table_->recordings(), false) {}

  Role role(std::string_view path) const override;
  void read(const TreeText&) override {}
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    return find_packed(audio, {});
  }
  std::optional<std::vector<TreeUtterance>> find_packed(std::string_view audio,
                                                        std::string_view with_archives) override;
  void report_rest(const Lose& lose) const override;
  bool loses_by_key() const override { return true; }
  /// A link among the audio is as good as a copy of it.
  bool take_link(std::string_view path) override { return role(path) == Role::other; }
  Packed packed() const override { return Packed::anyhow; }

 private:
  /// Why the audio of a recording that was not found is missing.
  std::string why_missing(std::uint32_t recording, const std::string& audio) const;
  /// Why none of the rows is about it; empty: some are.
  std::string why_none(std::string_view audio, const LabelTable::Found& found) const;
  LabelTable::Found recording_of(std::string_view audio, std::string_view with_archives) const;
  std::vector<LabelRow> rows_about(std::uint32_t recording, std::string_view audio);

  std::shared_ptr<const LabelTable> table_;
  AudioRoots roots_;
  AudioChoices choices_;
  std::vector<std::string> folders_;
  std::vector<bool> is_found_;  // by recording
  /// Of recordings with rows that name files of several extensions: those that were found.
  std::map<std::uint32_t, std::set<std::string>> found_extensions_;
  std::map<std::uint32_t, std::uint32_t> longer_names_;  // of recordings: one found, whose name ends alike
};

/// A place of audio, and the dataset that it is given for.
struct AudioPlace {
  std::string dataset;
  std::string path;  // a folder or an archive
};

class LabelledSources {
 public:
  /// `places`: all sources. Reads all labels, and the names of the audio as far as that is cheap. Labels of
  /// datasets that are not among them are left out. Throws Error for a file that is not such a table.
  LabelledSources(const std::vector<LabelFile>& labels, const std::vector<AudioPlace>& places,
                  const TreeOptions& options);

  bool has(const std::string& dataset) const { return by_dataset_.contains(dataset); }
  /// The label files of a dataset.
  const std::vector<std::string>& files_of(const std::string& dataset) const;
  /// Throws Error if no row has a text.
  void check_texts(const std::string& dataset, const TreeOptions& options) const;
  /// Its audio may not be what the labels mean; fields of Lhotse that are left out.
  std::vector<Error> warnings_about(const std::string& dataset) const;
  /// Calls back for each row of the label files of a dataset that cannot be cut or read.
  void report_bad(const std::string& dataset, const LoseUtterance& lose) const;
  /// How audio is read, in a folder and in an archive.
  ArchivedTree tree_of(const std::string& dataset) const;
  /// Calls back for each row whose audio this process has not met.
  std::function<void(const LoseUtterance&)> rest_of(const std::string& dataset) const;

 private:
  struct Labelled {
    std::vector<std::string> files;
    std::shared_ptr<const LabelTable> table;
    std::shared_ptr<TreeCorpus> corpus;
    std::string doubt;
    std::string left_descriptions;
    std::shared_ptr<const std::set<std::string>> archives_as_folders;  // see ArchivedTree
  };

  std::map<std::string, Labelled> by_dataset_;
};

}  // namespace shardmill::source
