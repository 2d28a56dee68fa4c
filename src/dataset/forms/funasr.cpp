// FunASR's lists of audio files and transcripts, for shards that are unpacked: one for its classic models,
// and one for Fun-ASR-Nano. Paths are relative to the folder of the dataset.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kFunasrFolder = "funasr";
constexpr std::string_view kFunasrList = "funasr/train.jsonl";
constexpr std::string_view kFunasrNanoList = "funasr/nano.jsonl";

constexpr std::uint64_t kFunasrRate = 16'000;
constexpr std::uint64_t kFunasrFrame = 160;

std::uint64_t frames_in(const AudioInfo& audio) {
  const std::uint64_t rate = std::max<std::uint64_t>(audio.sample_rate, 1);
  return (audio.frames * kFunasrRate + rate - 1) / rate / kFunasrFrame;
}

/// The blanks of Python's str.split() and str.strip().
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

/// The number of words if there are blanks (U+0020) among them, else of characters. Blanks at both ends do
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

/// Lengths are those that FunASR's scp2jsonl counts: frames of 10 ms, and the words of a transcript, or its
/// characters if it has no blanks.
std::string funasr_line(const manifest::SampleRecord& record) {
  const std::string_view text = record.text ? std::string_view(*record.text) : std::string_view();
  std::string out;
  base::JsonWriter json(out);
  json.begin_object().member("key", record.key);
  json.member("source", fmt::format("{}/{}", kUnpackedAudio, record.audio_filepath));
  json.member("source_len", frames_in(record.audio)).member("target", text);
  json.member("target_len", target_length(text));
  json.end_object();
  return out + '\n';
}

/// `speech_length` is that of Fun-ASR-Nano's scp2jsonl.py. `text_length` is an estimate of the tokens of
/// Qwen3, which is used to fill batches.
std::string funasr_nano_line(const manifest::SampleRecord& record) {
  const std::string_view text = record.text ? std::string_view(*record.text) : std::string_view();
  std::string out;
  base::JsonWriter json(out);
  const auto message = [&](std::string_view role, std::string_view content) {
    json.begin_object().member("role", role).member("content", content).end_object();
  };
  json.begin_object().key("messages").begin_array();
  message("system", "You are a helpful assistant.");
  message("user", fmt::format("语音转写：<|startofspeech|>!{}/{}<|endofspeech|>", kUnpackedAudio,
                              record.audio_filepath));
  message("assistant", text);
  json.end_array().member("speech_length", nano_frames(record.audio));
  json.member("text_length", tokens_in(text)).member("key", record.key).end_object();
  return out + '\n';
}

/// True for a sample that one of the two drops without an error, by its default limits.
bool is_too_long_for_funasr(const manifest::SampleRecord& record) {
  constexpr std::uint64_t kMostFrames = 2048;    // max_source_length, and the same of the text
  constexpr std::uint64_t kMostTogether = 2200;  // max_token_length
  const std::uint64_t frames = frames_in(record.audio);
  const std::uint64_t text = target_length(record.text ? std::string_view(*record.text) : std::string_view());
  return frames > kMostFrames || text > kMostFrames || frames + text > kMostTogether;
}

void write_funasr(const FormWork& work, WrittenIndexes& written) {
  SummedFile file(work.folder, std::string(kFunasrList));
  SummedFile nano(work.folder, std::string(kFunasrNanoList));
  std::uint64_t samples = 0;
  std::uint64_t too_long = 0;
  for (const ShardToIndex& shard : work.shards) {
    for_each_sample(shard.manifest, work.reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                      ++samples;
                      if (is_too_long_for_funasr(record)) ++too_long;
                      file.write(funasr_line(record));
                      nano.write(funasr_nano_line(record));
                    });
  }
  if (too_long != 0)
    work.reporter.warn(Error(
        fmt::format("{} of {} are longer than FunASR takes unless it is configured for them: it drops more "
                    "than 2048 frames of 10 ms, and more than 2200 of frames and text together, without an "
                    "error",
                    too_long, base::format_count(samples, "sample")),
        {}, "set its max_source_length and max_token_length"));
  written.files.push_back(file.commit());
  written.files.push_back(nano.commit());
}

}  // namespace

LoaderForm funasr_form() {
  return {.name = "funasr",
          .help =
              "funasr/train.jsonl, and nano.jsonl for Fun-ASR-Nano; for shards that are unpacked\n"
              "into audio/",
          .needs_plain_tar = false,
          .lists_texts = true,
          .folder = kFunasrFolder,
          .sign = kFunasrList,
          .owns = [](std::string_view file) { return file == kFunasrList || file == kFunasrNanoList; },
          .files =
              [](const auto&, const auto&) {
                return std::vector{std::string(kFunasrList), std::string(kFunasrNanoList)};
              },
          .write = write_funasr};
}

}  // namespace shardmill::dataset
