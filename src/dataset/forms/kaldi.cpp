// Kaldi's data directory: the lists that Kaldi, ESPnet and others want, sorted by key, with the audio where
// it is in the shards. wav.scp has commands, which every reader takes, and kaldiio.scp places in the shards.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/units.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kKaldiFolder = "kaldi";
constexpr std::string_view kKaldiDurations = "kaldi/utt2dur";
constexpr std::string_view kKaldiAudio = "kaldi/wav.scp";
constexpr std::string_view kKaldiPlaces = "kaldi/kaldiio.scp";

/// A line of a manifest.
struct KaldiPlace {
  std::string key;
  std::size_t shard = 0;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
};

struct KaldiUtterance {
  manifest::SampleRecord record;
  std::string speaker;
  std::string language;
};

/// The words with one blank between them, because a list has one line for each sample.
std::string words_of(std::string_view text, char between) {
  std::string words;
  bool is_apart = false;
  for (const char c : text) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
    if (!is_blank && is_apart && !words.empty()) words += between;
    if (!is_blank) words += c;
    is_apart = is_blank;
  }
  return words;
}

std::string quoted_for_shell(std::string_view path) {
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool is_wav(const manifest::SampleRecord& record) {
  return record.audio.format.starts_with("wav");
}

/// A command that cuts the audio out of the shard, and decodes it unless it is WAV. ESPnet's
/// format_wav_scp.py opens as a file whatever is neither a command nor in an .ark.
std::string audio_line(const manifest::SampleRecord& record, const std::string& shard_path) {
  std::string_view decoder;
  if (record.audio.format.starts_with("flac")) {
    decoder = " flac -dcs - |";
  } else if (!is_wav(record)) {
    decoder = " ffmpeg -v error -i - -f wav - |";
  }
  return fmt::format("{} tail -c +{} {} | head -c {} |{}\n", record.key, record.tar_offset + 1,
                     quoted_for_shell(shard_path), record.audio_bytes, decoder);
}

/// kaldiio reads WAV from the middle of a shard, but other forms to the end of the shard. It takes the first
/// colon of a path for the one before the offset.
std::string place_line(const manifest::SampleRecord& record, const std::string& shard_path) {
  if (!is_wav(record) || shard_path.find(':') != std::string::npos) return audio_line(record, shard_path);
  return fmt::format("{} {}:{}\n", record.key, shard_path, record.tar_offset);
}

/// Gives the samples of all manifests in the order of their keys.
class KaldiOrder {
 public:
  KaldiOrder(const std::vector<ShardToIndex>& shards, base::Reporter& reporter)
      : shards_(shards), reporter_(reporter) {
    for (std::size_t shard = 0; shard < shards.size(); ++shard) find_keys(shard);
    std::sort(places_.begin(), places_.end(), [](const KaldiPlace& a, const KaldiPlace& b) {
      return std::tie(a.key, a.shard, a.offset) < std::tie(b.key, b.shard, b.offset);
    });
  }

  /// The places live as long as the order.
  void for_each(const std::function<void(const KaldiUtterance&, const KaldiPlace&)>& use) {
    KaldiUtterance utterance;
    std::string line;
    std::size_t done = 0;
    for (const KaldiPlace& place : places_) {
      if (++done % kStopEvery == 0) reporter_.check_stop();
      line.resize(place.bytes);
      const base::File& file = opened(place.shard);
      const auto bytes = std::as_writable_bytes(std::span(line));
      if (file.read_at(bytes, place.offset) != bytes.size())
        throw Error("became shorter while it was read", at(file.path()));
      const base::JsonValue json = parser_.parse(line);
      read_record(json, utterance.record);
      utterance.speaker = words_of(shard::speaker_of(json), '_');
      utterance.language = words_of(fact_text(json, manifest::language_field(json)), '_');
      use(utterance, place);
    }
  }

 private:
  static constexpr std::size_t kStopEvery = 1000;
  static constexpr std::size_t kMostFiles = 200;  // open at a time

  void find_keys(std::size_t shard) {
    base::LineReader lines(shards_[shard].manifest);
    std::uint64_t offset = 0;
    for (std::string_view line; lines.next(line);) {
      if (lines.line_number() % kStopEvery == 0) reporter_.check_stop();
      try {
        const base::JsonValue json = parser_.parse(line);
        places_.push_back(
            {.key = std::string(json["key"].text()), .shard = shard, .offset = offset, .bytes = line.size()});
      } catch (const Error& error) {
        throw lines.here(error);
      }
      offset += line.size() + 1;
    }
  }

  const base::File& opened(std::size_t shard) {
    if (const auto found = files_.find(shard); found != files_.end()) return found->second;
    if (files_.size() == kMostFiles) files_.clear();
    return files_.emplace(shard, base::File::open_read(shards_[shard].manifest)).first->second;
  }

  const std::vector<ShardToIndex>& shards_;
  base::Reporter& reporter_;
  base::JsonParser parser_;
  std::vector<KaldiPlace> places_;
  std::map<std::size_t, base::File> files_;
};

/// Each speaker with the utterances of that speaker, sorted by both. As usual with Kaldi, an utterance of an
/// unknown speaker is a speaker of its own.
class KaldiSpeakers {
 public:
  void add(const std::string& speaker, const KaldiPlace& place) {
    if (speaker.empty()) {
      alone_.push_back(&place.key);
    } else {
      speakers_[speaker].append(" ").append(place.key);
    }
  }

  void write(SummedFile& file) const {
    auto alone = alone_.begin();
    const auto write_alone = [&](auto is_next) {
      for (; alone != alone_.end() && is_next(**alone); ++alone)
        file.write(fmt::format("{0} {0}\n", **alone));
    };
    for (const auto& [speaker, keys] : speakers_) {
      // By a name of its own: before clang 16 a lambda cannot refer to `speaker`.
      write_alone([&name = speaker](const std::string& key) { return key < name; });
      const bool is_key_too = alone != alone_.end() && **alone == speaker;
      file.write(speaker + keys + (is_key_too ? " " + **alone++ : std::string()) + "\n");
    }
    write_alone([](const std::string&) { return true; });
  }

 private:
  std::map<std::string, std::string> speakers_;
  std::vector<const std::string*> alone_;  // keys in their order
};

std::string kaldi_name(std::string_view list) {
  return fmt::format("{}/{}", kKaldiFolder, list);
}

/// Those that every dataset has. There is also kaldi/utt2lang if all samples name their language.
std::vector<std::string> kaldi_list_names(const std::vector<std::string>&, const std::vector<std::string>&) {
  return {std::string(kKaldiAudio), std::string(kKaldiPlaces), kaldi_name("text"),
          kaldi_name("utt2spk"),    kaldi_name("spk2utt"),     std::string(kKaldiDurations)};
}

/// Keeps the keys in memory.
void write_kaldi(const FormWork& work, WrittenIndexes& written) {
  const std::vector<ShardToIndex>& shards = work.shards;
  const std::string& folder = work.folder;
  SummedFile audio(folder, std::string(kKaldiAudio));
  SummedFile places(folder, std::string(kKaldiPlaces));
  SummedFile text(folder, kaldi_name("text"));
  SummedFile utt2spk(folder, kaldi_name("utt2spk"));
  SummedFile utt2dur(folder, std::string(kKaldiDurations));
  std::optional<SummedFile> utt2lang(std::in_place, folder, kaldi_name("utt2lang"));
  KaldiSpeakers speakers;
  std::uint64_t samples = 0;
  std::uint64_t with_tabs = 0;
  KaldiOrder order(shards, work.reporter);
  order.for_each([&](const KaldiUtterance& utterance, const KaldiPlace& place) {
    const manifest::SampleRecord& record = utterance.record;
    ++samples;
    audio.write(audio_line(record, shards[place.shard].listed));
    places.write(place_line(record, shards[place.shard].listed));
    const std::string words = words_of(record.text.value_or(""), ' ');
    if (record.text && record.text->find('\t') != std::string::npos) ++with_tabs;
    if (!words.empty()) text.write(fmt::format("{} {}\n", record.key, words));
    const std::string& speaker = utterance.speaker.empty() ? record.key : utterance.speaker;
    utt2spk.write(fmt::format("{} {}\n", record.key, speaker));
    speakers.add(utterance.speaker, place);
    utt2dur.write(fmt::format("{} {}\n", record.key, record.duration_seconds));
    if (utterance.language.empty()) utt2lang.reset();
    if (utt2lang) utt2lang->write(fmt::format("{} {}\n", record.key, utterance.language));
  });
  if (with_tabs != 0)
    work.reporter.warn(
        Error(fmt::format("{} of {} have tabs in their transcripts, which are blanks in kaldi/text",
                          with_tabs, base::format_count(samples, "sample"))));
  SummedFile spk2utt(folder, kaldi_name("spk2utt"));
  speakers.write(spk2utt);
  for (SummedFile* const file : {&audio, &places, &text, &utt2spk, &spk2utt, &utt2dur})
    written.files.push_back(file->commit());
  if (utt2lang && samples != 0) written.files.push_back(utt2lang->commit());
}

void kaldi_placed_text(const std::vector<ShardToIndex>& shards, base::Reporter& reporter,
                       const UsePlacedText& use) {
  KaldiOrder order(shards, reporter);
  order.for_each([&](const KaldiUtterance& utterance, const KaldiPlace& place) {
    const std::string& path = shards[place.shard].listed;
    use(0, audio_line(utterance.record, path));
    use(1, place_line(utterance.record, path));
  });
}

}  // namespace

LoaderForm kaldi_form() {
  return {.name = "kaldi",
          .help =
              "kaldi/: wav.scp (commands) and kaldiio.scp (places in the shards), text, utt2spk,\n"
              "spk2utt, utt2dur, and utt2lang where all samples name a language",
          .lists_texts = true,
          .reads_from_disk = true,
          .folder = kKaldiFolder,
          .sign = kKaldiDurations,
          .placed = {kKaldiAudio, kKaldiPlaces},
          .owns = [](std::string_view file) { return manifest::is_below(file, kKaldiFolder); },
          .files = kaldi_list_names,
          .write = write_kaldi,
          .placed_text = kaldi_placed_text};
}

}  // namespace shardmill::dataset
