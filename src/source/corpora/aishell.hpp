// AISHELL-1 and AISHELL-2 as they are downloaded and unpacked.
#pragma once

#include <optional>
#include <string>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// The folder of AISHELL-1 that holds transcript/ and wav/: `folder` itself or data_aishell in it; nullopt
/// when it is neither.
std::optional<std::string> aishell_root(const std::string& folder);

/// speaker.info, which comes in resource_aishell.tgz, and lies in `root` or beside it; empty where it does
/// not.
std::string aishell_speakers(const std::string& root);

/// True for AISHELL-1 with wav/SPEAKER.tar.gz: speakers that are not unpacked yet.
bool has_packed_speakers(const std::string& folder);

/// wav/{train,dev,test}/SPEAKER/*.wav; facts: speaker, gender and subset. The texts are kept as they stand,
/// with blanks between the words.
void read_aishell(const std::string& folder, CorpusBuilder& builder);

/// Folders that hold trans.txt and wav/SPEAKER/*.wav, with or without wav.scp: `folder` or up to four levels
/// below it, as in iOS/data and in AISHELL-DEV-TEST-SET. Facts: speaker, device and subset.
void read_aishell2(const std::string& folder, CorpusBuilder& builder);

}  // namespace shardmill::source
