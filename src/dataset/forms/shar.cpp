// Lhotse Shar: a copy of the audio as it is, with the descriptions that Lhotse wants in the tar and beside
// it.
#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <numeric>
#include <span>

#include "archive/tar_header.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "codec/formats.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"
#include "shard/sample_text.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::dataset {

namespace {

using base::JsonWriter;

constexpr std::string_view kSharFolder = "shar";
constexpr int kSharGzipLevel = 6;

std::string cuts_name(std::size_t shard) {
  return fmt::format("{}/cuts.{:06}.jsonl.gz", kSharFolder, shard);
}

std::string recording_name(std::size_t shard) {
  return fmt::format("{}/recording.{:06}.tar", kSharFolder, shard);
}

std::string_view chars_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void append_channels(JsonWriter& json, std::uint32_t channels) {
  json.begin_array();
  for (std::uint32_t channel = 0; channel < channels; ++channel) json.value(channel);
  json.end_array();
}

/// The members of Lhotse's Recording, whose audio is the member before it in the tar.
void append_recording(JsonWriter& json, const manifest::SampleRecord& record) {
  json.begin_object().member("id", record.key).key("sources").begin_array().begin_object();
  json.member("type", "shar").key("channels");
  append_channels(json, record.audio.channels);
  json.member("source", "").end_object().end_array();
  json.member("sampling_rate", record.audio.sample_rate).member("num_samples", record.audio.frames);
  json.member("duration", record.audio.seconds()).key("channel_ids");
  append_channels(json, record.audio.channels);
  json.end_object();
}

/// One channel is the number 0, several are a list.
void append_channel(JsonWriter& json, const manifest::SampleRecord& record) {
  json.key("channel");
  if (record.audio.channels == 1) {
    json.value(0u);
  } else {
    append_channels(json, record.audio.channels);
  }
}

void append_fact(JsonWriter& json, std::string_view name, const base::JsonValue& line,
                 std::string_view fact) {
  const std::string text = fact_text(line, fact);
  if (!text.empty()) json.member(name, text);
}

std::string cut_line(const manifest::SampleRecord& record, const base::JsonValue& line) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("id", record.key).member("start", 0.0);
  json.member("duration", record.audio.seconds());
  append_channel(json, record);
  json.key("supervisions").begin_array().begin_object();
  json.member("id", record.key).member("recording_id", record.key).member("start", 0.0);
  json.member("duration", record.audio.seconds());
  append_channel(json, record);
  if (record.text) json.member("text", *record.text);
  append_fact(json, "language", line, manifest::language_field(line));
  if (const std::string speaker = shard::speaker_of(line); !speaker.empty()) json.member("speaker", speaker);
  append_fact(json, "gender", line, "gender");
  json.end_object().end_array().key("recording");
  append_recording(json, record);
  json.key("custom").begin_object().member("dataset", record.dataset).end_object();
  json.member("type", record.audio.channels == 1 ? "MonoCut" : "MultiCut").end_object();
  return out + '\n';
}

/// One shard of the copy.
class SharShard {
 public:
  SharShard(const ShardToIndex& shard, std::size_t number, const std::string& folder)
      : audio_(shard.path),
        cuts_(folder, cuts_name(number)),
        recordings_(folder, recording_name(number)),
        gzip_(codec::make_gzip_encoder(
            kSharGzipLevel, [this](std::span<const std::byte> bytes) { cuts_.write(chars_of(bytes)); })) {}

  void add(const manifest::SampleRecord& record, const base::JsonValue& line) {
    const std::string cut = cut_line(record, line);
    gzip_->write(base::as_bytes(cut));
    const std::string& name = record.audio_filepath;
    add_member(record.key + name.substr(std::min(name.size(), record.key.size())), audio_.read(record));
    std::string recording;
    JsonWriter json(recording);
    append_recording(json, record);
    recording += '\n';
    add_member(record.key + ".json", base::as_bytes(recording));
  }

  std::vector<manifest::Checksum> commit() {
    gzip_->finish();
    Bytes end;
    archive::append_end(end);
    recordings_.write(chars_of(end));
    return {cuts_.commit(), recordings_.commit()};
  }

 private:
  void add_member(const std::string& name, std::span<const std::byte> bytes) {
    Bytes around;
    archive::append_header(around, name, bytes.size());
    recordings_.write(chars_of(around));
    recordings_.write(chars_of(bytes));
    around.clear();
    archive::append_padding(around, bytes.size());
    recordings_.write(chars_of(around));
  }

  SampleAudio audio_;
  SummedFile cuts_;
  SummedFile recordings_;
  std::unique_ptr<codec::Encoder> gzip_;
};

std::vector<manifest::Checksum> copy_shard(const ShardToIndex& shard, std::size_t number,
                                           const std::string& folder, base::Reporter& reporter) {
  SharShard copy(shard, number, folder);
  for_each_sample(
      shard.manifest, reporter,
      [&](const manifest::SampleRecord& record, const base::JsonValue& line) { copy.add(record, line); });
  return copy.commit();
}

std::vector<std::string> shar_names(const std::vector<std::string>& shards, const std::vector<std::string>&) {
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    names.push_back(cuts_name(shard));
    names.push_back(recording_name(shard));
  }
  return names;
}

void write_shar(const FormWork& work, WrittenIndexes& written) {
  std::mutex mutex;
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    const auto files = copy_shard(work.shards[i], i, work.folder, work.reporter);
    const std::lock_guard lock(mutex);
    written.files.insert(written.files.end(), files.begin(), files.end());
  });
}

}  // namespace

LoaderForm shar_form() {
  return {.name = "shar",
          .help = "shar/: Lhotse Shar, a copy of the audio as it is, with its cuts",
          .lists_texts = true,
          .copies_audio = true,
          .folder = kSharFolder,
          .owns = [](std::string_view file) { return manifest::is_below(file, kSharFolder); },
          .files = shar_names,
          .write = write_shar};
}

}  // namespace shardmill::dataset
