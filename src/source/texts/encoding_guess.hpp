// encoding_guess: which encodings a line of text may have that is not UTF-8.
#pragma once

#include <string_view>
#include <vector>

namespace shardmill::source {

/// An encoding by iconv's name, and its language.
struct Encoding {
  std::string_view name;
  std::string_view language;

  bool operator==(const Encoding&) const = default;
};

/// The encodings of Chinese, Korean and Japanese in which `line` is valid, the most likely first. More than
/// one is the usual case, because their bytes are nearly the same. "CP1251" represents all encodings with one
/// byte a letter; it is among them if nothing else fits well. Empty if the line has too few bytes above 0x7F
/// to judge.
std::vector<Encoding> possible_encodings(std::string_view line);

}  // namespace shardmill::source
