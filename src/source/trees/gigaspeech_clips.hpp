// GigaSpeech as Hugging Face has it: audio/xs_files/xs_chunks_0000.tar.gz with a WAV for each segment, and
// metadata/xs_metadata/xs_chunks_0000_metadata.csv, which tells of these.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "source/texts/tree_table.hpp"

namespace shardmill::source {

class GigaSpeechClips final : public TreeTable {
 public:
  using TreeTable::TreeTable;

  /// "xs_chunks_0000" of the path of a table; empty for another file.
  static std::string_view chunk_of(std::string_view path);

  Role role(std::string_view path) const override;
  void read(const TreeText& text) override;
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override;
  bool belongs_to(std::string_view key, std::string_view packed_name) const override;

 private:
  bool is_known(std::string_view) const override { return false; }
  void describe(std::string_view, const Row*, TreeUtterance&) const override {}

  std::unordered_set<std::string> silent_;  // segments that hold no speech
};

}  // namespace shardmill::source
