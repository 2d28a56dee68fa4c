#include "manifest/funasr_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

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

/// int((duration * 1000 - 25) // 10 + 1), where // is Python's division of floats.
std::int64_t nano_frames(const AudioInfo& audio) {
  constexpr double kShift = 10;
  const double milliseconds = audio.seconds() * 1000 - 25;
  double rest = std::fmod(milliseconds, kShift);
  double frames = (milliseconds - rest) / kShift;
  if (rest < 0) frames -= 1;
  return static_cast<std::int64_t>(std::floor(frames + 0.5)) + 1;
}

/// About as many tokens as Qwen3 makes of a text: a letter or digit each, but of a Latin word one for each
/// four letters.
std::uint64_t tokens_in(std::string_view text) {
  constexpr std::uint64_t kLettersOfToken = 4;
  std::uint64_t tokens = 0;
  std::uint64_t letters = 0;
  const auto end_word = [&] {
    tokens += (std::exchange(letters, 0) + kLettersOfToken - 1) / kLettersOfToken;
  };
  while (!text.empty()) {
    const base::Utf8Step step = base::first_utf8(text);
    text.remove_prefix(step.bytes);
    const char32_t c = step.code_point;
    const bool is_latin = (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= 0xC0 && c < 0x250);
    if (is_latin) {
      ++letters;
      continue;
    }
    end_word();
    if (!is_python_blank(c)) ++tokens;
  }
  end_word();
  return tokens;
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

std::string funasr_nano_line(const SampleRecord& record) {
  const std::string_view text = record.text ? std::string_view(*record.text) : std::string_view();
  std::string out;
  base::JsonWriter json(out);
  const auto message = [&](std::string_view role, std::string_view content) {
    json.begin_object().member("role", role).member("content", content).end_object();
  };
  json.begin_object().key("messages").begin_array();
  message("system", "You are a helpful assistant.");
  message("user", fmt::format("语音转写：<|startofspeech|>!{}/{}<|endofspeech|>", kAmphionAudio,
                              record.audio_filepath));
  message("assistant", text);
  json.end_array().member("speech_length", nano_frames(record.audio));
  json.member("text_length", tokens_in(text)).member("key", record.key).end_object();
  return out + '\n';
}

bool is_too_long_for_funasr(const SampleRecord& record) {
  constexpr std::uint64_t kMostFrames = 2048;    // max_source_length, and the same of the text
  constexpr std::uint64_t kMostTogether = 2200;  // max_token_length
  const std::uint64_t frames = frames_in(record.audio);
  const std::uint64_t text = target_length(record.text ? std::string_view(*record.text) : std::string_view());
  return frames > kMostFrames || text > kMostFrames || frames + text > kMostTogether;
}

}  // namespace shardmill::manifest
