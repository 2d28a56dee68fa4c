// share_tree: one tree that many archives ask, so that large tables are in memory once.
#pragma once

#include <memory>

#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// `tree` has read all its texts. What is found in it counts for all who share it. The result may be used by
/// any thread; it reads no further text.
std::shared_ptr<TreeCorpus> share_tree(std::shared_ptr<TreeCorpus> tree);

}  // namespace shardmill::source
