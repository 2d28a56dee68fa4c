// Plain folders of audio files, each with its transcript in a .txt file of the same name; LibriTTS and MLS.
#pragma once

#include <string>
#include <string_view>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// The key of an utterance is its path below `folder` without the extension. A .txt without audio is a
/// transcript whose audio is missing, unless it is called README, LICENSE, BOOKS,
/// SPEAKERS or the like, or belongs to a corpus that is not read yet, as VCTK. What is said in KEY.wav may
/// also stand in KEY.normalized.txt, and in the line KEY of transcripts.txt for all that is in audio/ beside
/// it. KEY.json beside KEY.mp3 gives facts, and the transcript where there is no .txt or `text_field` names
/// one of its members.
void read_audio_folder(const std::string& folder, std::string_view text_field, CorpusBuilder& builder);

}  // namespace shardmill::source
