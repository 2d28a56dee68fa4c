// LabelCorpus: audio wherever it lies, and label files that say which stretches of it are samples.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/labels/label_table.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

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
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override;
  void report_rest(const Lose& lose) const override;
  bool loses_by_key() const override { return true; }
  /// A link among the audio is as good as a copy of it.
  bool take_link(std::string_view path) override { return role(path) == Role::other; }
  Packed packed() const override { return Packed::anyhow; }

 private:
  /// Why none of the rows is about it; empty: some are.
  std::string why_none(std::string_view audio, const LabelTable::Found& found) const;

  std::shared_ptr<const LabelTable> table_;
  AudioRoots roots_;
  AudioChoices choices_;
  std::vector<std::string> folders_;
  std::vector<bool> is_found_;  // by recording
};

}  // namespace shardmill::source
