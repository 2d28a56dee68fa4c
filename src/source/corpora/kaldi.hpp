// Kaldi data folders: wav.scp, text, segments, utt2spk and what lies beside them.
#pragma once

#include <string>

#include "source/corpora.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// `folder` must hold wav.scp; text, segments, utt2spk, utt2dur, utt2lang and spk2gender are read where they
/// are there. Without segments, the utterances are those of wav.scp. Throws UsageError without wav.scp, and
/// Error, with file and line, for lines that make no sense.
void read_kaldi(const std::string& folder, const CorpusOptions& options, CorpusBuilder& builder);

}  // namespace shardmill::source
