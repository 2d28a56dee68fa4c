// Lhotse Shar: cuts.000000.jsonl.gz with recording.000000.tar, which has ID.flac and ID.json for each cut.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source/source_file.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// A shard of the cuts, and what belongs to it.
struct SharShard {
  std::string cuts;                   // the file
  std::string audio{};                // recording.000000.tar; empty: it is missing
  std::vector<std::string> tables{};  // text.000000.jsonl: one more member of each cut
};

struct SharFolder {
  std::vector<SharShard> shards;
  std::vector<std::string> others;  // files of fields that are not read, such as features.000000.tar
};
/// None in a folder that has no recording*.tar beside cuts.
SharFolder shar_in(const std::string& folder);

/// How a shard is read: each cut, or each of its supervisions if it has several, is a sample. `subset`: of
/// all.
ArchivedTree shar_tree(const SharShard& shard, const TreeOptions& options, const std::string& subset);

}  // namespace shardmill::source
