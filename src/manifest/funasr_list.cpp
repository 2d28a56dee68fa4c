#include "manifest/funasr_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text/json_writer.hpp"
#include "base/text/utf8.hpp"
#include "manifest/recipe_list.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::uint64_t kFunasrRate = 16'000;
constexpr std::uint64_t kFunasrFrame = 160;

std::uint64_t frames_in(const AudioInfo& audio) {
  const std::uint64_t rate = std::max<std::uint64_t>(audio.sample_rate, 1);
  return (audio.frames * kFunasrRate + rate - 1) / rate / kFunasrFrame;
}

/// What Python's str.split() and str.strip() take for blanks.
bool is_python_blank(char32_t c) {
  return c == U' ' || (c >= 0x9 && c <= 0xD) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

/// The words where blanks (U+0020) stand between some of them, else the characters. Blanks at both ends do
/// not count.
std::uint64_t target_length(std::string_view text) {
  std::uint64_t words = 0;
  std::uint64_t characters = 0;  // up to the last one that is no blank
  std::uint64_t blanks = 0;      // since then
  bool is_space_among_them = false;
  bool has_space = false;
  while (!text.empty()) {
    const base::Utf8Step step = base::first_utf8(text);
    text.remove_prefix(step.bytes);
    if (is_python_blank(step.code_point)) {
      ++blanks;
      is_space_among_them = is_space_among_them || step.code_point == U' ';
      continue;
    }
    const bool is_first = words == 0;
    if (is_first || blanks != 0) ++words;
    if (!is_first) {
      characters += blanks;
      has_space = has_space || is_space_among_them;
    }
    ++characters;
    blanks = 0;
    is_space_among_them = false;
  }
  return has_space ? words : characters;
}

}  // namespace

std::string funasr_line(const SampleRecord& record) {
  const std::string_view text = record.text ? std::string_view(*record.text) : std::string_view();
  std::string out;
  base::JsonWriter json(out);
  json.begin_object().member("key", record.key);
  json.member("source", fmt::format("{}/{}", kAmphionAudio, record.audio_filepath));
  json.member("source_len", frames_in(record.audio)).member("target", text);
  json.member("target_len", target_length(text));
  json.end_object();
  return out + '\n';
}

}  // namespace shardmill::manifest
