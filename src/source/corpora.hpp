// All raw corpora: how one is found in the list, and how it is read.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "source/corpus.hpp"

namespace shardmill::source {

/// In the order of corpora/list.hpp.
std::span<const Corpus* const> all_corpora();

/// The corpus with this prefix, which has no colon; null if no corpus has it.
const Corpus* corpus_with_prefix(std::string_view prefix);

/// The file that adds a fact about the speakers of the corpus with this prefix.
FactTeller fact_teller(std::string_view prefix);

/// The corpus that a file is of, if that has no transcripts by nature; null for all other files.
const Corpus* textless_corpus(const SourceFile& file);

/// Throws UsageError when `path` is not of that corpus, and Error, with file, line and column, for a
/// problem of all of it; a problem of one utterance is part of the result.
CorpusFiles read_corpus(const Corpus& corpus, const std::string& path, const CorpusOptions& options);

/// For SourceFile::tree. Throws UsageError for options that this corpus does not have.
std::shared_ptr<const ArchivedTree> archived_tree(const Corpus& corpus, const TreeOptions& options);

}  // namespace shardmill::source
