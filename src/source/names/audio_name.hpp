// Names of audio files: what is one, and what it is called without folder and extension.
#pragma once

#include <string_view>

namespace shardmill::source {

struct AudioName {
  std::string_view stem;       // without folders and extension
  std::string_view extension;  // as it is written; empty where there is none
};

/// Cuts the last part of a path at its last dot.
AudioName audio_name(std::string_view path);

/// "a.wav" without ".wav", "x/a.b.flac" without ".flac".
std::string_view without_extension(std::string_view path);

/// True for extensions of audio, in capitals too.
bool is_audio_name(std::string_view path);

/// True for `extension`, which is in small letters, in capitals too.
bool has_extension(std::string_view path, std::string_view extension);

}  // namespace shardmill::source
