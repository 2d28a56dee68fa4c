// The corpora that are read as trees, one function each; every one has a file of its own.
#pragma once

#include <memory>

#include "source/tree_corpus.hpp"

namespace shardmill::source {

using TreeCorpusPtr = std::unique_ptr<TreeCorpus>;

TreeCorpusPtr make_librispeech(const TreeOptions& options);
TreeCorpusPtr make_libritts(const TreeOptions& options);
TreeCorpusPtr make_mls(const TreeOptions& options);
TreeCorpusPtr make_aishell(const TreeOptions& options);
TreeCorpusPtr make_aishell2(const TreeOptions& options);
TreeCorpusPtr make_aishell3(const TreeOptions& options);
TreeCorpusPtr make_aishell4(const TreeOptions& options);
TreeCorpusPtr make_alimeeting(const TreeOptions& options);
TreeCorpusPtr make_aidatatang(const TreeOptions& options);
TreeCorpusPtr make_magicdata(const TreeOptions& options);
TreeCorpusPtr make_primewords(const TreeOptions& options);
TreeCorpusPtr make_stcmds(const TreeOptions& options);
TreeCorpusPtr make_thchs30(const TreeOptions& options);
TreeCorpusPtr make_commonvoice(const TreeOptions& options);
TreeCorpusPtr make_ljspeech(const TreeOptions& options);
TreeCorpusPtr make_vctk(const TreeOptions& options);
TreeCorpusPtr make_kespeech(const TreeOptions& options);
TreeCorpusPtr make_voxpopuli(const TreeOptions& options);
TreeCorpusPtr make_peoples_speech(const TreeOptions& options);
TreeCorpusPtr make_wenetspeech(const TreeOptions& options);
TreeCorpusPtr make_gigaspeech(const TreeOptions& options);
TreeCorpusPtr make_tedlium(const TreeOptions& options);
TreeCorpusPtr make_jsut(const TreeOptions& options);
TreeCorpusPtr make_timit(const TreeOptions& options);
TreeCorpusPtr make_fleurs(const TreeOptions& options);
TreeCorpusPtr make_spgispeech(const TreeOptions& options);
TreeCorpusPtr make_arctic(const TreeOptions& options);
TreeCorpusPtr make_an4(const TreeOptions& options);
TreeCorpusPtr make_zeroth(const TreeOptions& options);

/// Throws UsageError where `options` name a text field that is none of `known`.
void check_text_field(const TreeOptions& options, std::initializer_list<std::string_view> known);

}  // namespace shardmill::source
