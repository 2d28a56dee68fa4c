// The list of all raw corpora. A corpus has one line here and one source, corpora/NAME.cpp, which defines it;
// corpora that differ in little but their names share one.
#pragma once

#include "source/corpus.hpp"

// A source is compared with all of them in this order, once for each kind of evidence: files in the folder
// itself, names of texts in it or above it, shared endings (detection.cpp). The first that fits is taken. So
// a corpus stands before those whose patterns fit its files, too.
// clang-format off
#define SHARDMILL_CORPORA(CORPUS) \
  CORPUS(kGigaSpeech2, gigaspeech2) \
  CORPUS(kCommonVoice, commonvoice) \
  CORPUS(kLjSpeech, ljspeech) \
  CORPUS(kPrimewords, primewords) \
  CORPUS(kSwitchboard, unread) \
  CORPUS(kCsj, unread) \
  CORPUS(kMTedX, mtedx) \
  CORPUS(kReazonSpeech, reazonspeech) \
  CORPUS(kTalAsr, talasr) \
  CORPUS(kTedLium, tedlium) \
  CORPUS(kThchs30, thchs30) \
  CORPUS(kWenetSpeech4Tts, wenetspeech4tts) \
  CORPUS(kWenetSpeechYue, wenetspeech_dialects) \
  CORPUS(kWenetSpeechChuan, wenetspeech_dialects) \
  CORPUS(kWenetSpeechWu, wenetspeech_dialects) \
  CORPUS(kWenetSpeech, wenetspeech) \
  CORPUS(kGigaSpeech, gigaspeech) \
  CORPUS(kYodas, yodas) \
  CORPUS(kYodas2, yodas2) \
  CORPUS(kEmilia, emilia) \
  CORPUS(kVoxCeleb, voxceleb) \
  CORPUS(kCnCeleb, cnceleb) \
  CORPUS(kMdcc, mdcc) \
  CORPUS(kThreeDSpeaker, threedspeaker) \
  CORPUS(kVctk, vctk) \
  CORPUS(kAishell3, aishell3) \
  CORPUS(kAliMeeting, alimeeting) \
  CORPUS(kAishell4, aishell4) \
  CORPUS(kMagicData, magicdata) \
  CORPUS(kVoxPopuli, voxpopuli) \
  CORPUS(kPeoplesSpeech, peoples_speech) \
  CORPUS(kKeSpeech, kespeech) \
  CORPUS(kAidatatang, aidatatang) \
  CORPUS(kAishell, aishell) \
  CORPUS(kAishell2, aishell2) \
  CORPUS(kLibriTts, libritts) \
  CORPUS(kTimit, timit) \
  CORPUS(kFleurs, fleurs) \
  CORPUS(kSpgiSpeech, spgispeech) \
  CORPUS(kArctic, arctic) \
  CORPUS(kAn4, an4) \
  CORPUS(kJsut, jsut) \
  CORPUS(kZeroth, zeroth) \
  CORPUS(kKsponSpeech, ksponspeech) \
  CORPUS(kLibriSpeech, librispeech) \
  CORPUS(kMls, mls) \
  CORPUS(kStCmds, stcmds) \
  CORPUS(kKaldi, kaldi) \
  CORPUS(kLhotse, lhotse) \
  CORPUS(kWenet, wenet_list) \
  CORPUS(kNemo, nemo_manifest) \
  CORPUS(kAudioTable, audio_table) \
  CORPUS(kAudioFolder, audio_folder)
// clang-format on

namespace shardmill::source {

#define SHARDMILL_DECLARE_CORPUS(constant, file) extern const Corpus constant;
SHARDMILL_CORPORA(SHARDMILL_DECLARE_CORPUS)
#undef SHARDMILL_DECLARE_CORPUS

}  // namespace shardmill::source
