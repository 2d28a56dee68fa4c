#include "dataset/forms/shar_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "archive/tar_header.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "codec/formats.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/sample_record.hpp"
#include "shard/sample_text.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::dataset {

namespace {

using base::JsonWriter;

constexpr int kSharGzipLevel = 6;

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
  /// `names`: those of shar_names().
  SharShard(const ShardToIndex& shard, std::vector<std::string> names, SharCuts cuts,
            const std::string& folder)
      : audio_(shard.path),
        names_(std::move(names)),
        folder_(folder),
        cuts_(folder, names_[0]),
        recordings_(folder, names_[1]) {
    if (cuts == SharCuts::gzipped) {
      gzip_ = codec::make_gzip_encoder(
          kSharGzipLevel, [this](std::span<const std::byte> bytes) { cuts_.write(chars_of(bytes)); });
    }
  }

  void add(const manifest::SampleRecord& record, const base::JsonValue& line) {
    cut_places_.push_back(cut_bytes_);
    recording_places_.push_back(recording_bytes_);
    const std::string cut = cut_line(record, line);
    cut_bytes_ += cut.size();
    if (gzip_) {
      gzip_->write(base::as_bytes(cut));
    } else {
      cuts_.write(cut);
    }
    const std::string& name = record.audio_filepath;
    add_member(record.key + name.substr(std::min(name.size(), record.key.size())), audio_.read(record));
    std::string recording;
    JsonWriter json(recording);
    append_recording(json, record);
    recording += '\n';
    add_member(record.key + ".json", base::as_bytes(recording));
  }

  /// The indexes are the last, because readers refuse those that are older than their files.
  std::vector<manifest::Checksum> commit() {
    if (gzip_) gzip_->finish();
    Bytes end;
    archive::append_end(end);
    put(chars_of(end));
    std::vector<manifest::Checksum> files{cuts_.commit(), recordings_.commit()};
    if (gzip_) return files;
    cut_places_.push_back(cut_bytes_);
    recording_places_.push_back(recording_bytes_);
    files.push_back(write_whole(folder_, names_[2], idx_text(cut_places_)));
    files.push_back(write_whole(folder_, names_[3], idx_text(recording_places_)));
    return files;
  }

 private:
  void add_member(const std::string& name, std::span<const std::byte> bytes) {
    Bytes around;
    archive::append_header(around, name, bytes.size());
    put(chars_of(around));
    put(chars_of(bytes));
    around.clear();
    archive::append_padding(around, bytes.size());
    put(chars_of(around));
  }

  void put(std::string_view bytes) {
    recordings_.write(bytes);
    recording_bytes_ += bytes.size();
  }

  SampleAudio audio_;
  std::vector<std::string> names_;
  std::string folder_;
  SummedFile cuts_;
  SummedFile recordings_;
  std::unique_ptr<codec::Encoder> gzip_;
  std::vector<std::uint64_t> cut_places_;
  std::vector<std::uint64_t> recording_places_;
  std::uint64_t cut_bytes_ = 0;  // of the plain lines
  std::uint64_t recording_bytes_ = 0;
};

std::vector<manifest::Checksum> copy_shard(const ShardToIndex& shard, std::size_t number, SharCuts cuts,
                                           const std::string& folder, base::Reporter& reporter) {
  SharShard copy(shard, shar_names(cuts, number), cuts, folder);
  for_each_sample(
      shard.manifest, reporter,
      [&](const manifest::SampleRecord& record, const base::JsonValue& line) { copy.add(record, line); });
  return copy.commit();
}

}  // namespace

std::string_view shar_folder(SharCuts cuts) {
  return cuts == SharCuts::indexed ? "shar" : "shar-gz";
}

std::vector<std::string> shar_names(SharCuts cuts, std::size_t shard) {
  const std::string_view folder = shar_folder(cuts);
  const std::string lines = fmt::format("{}/cuts.{:06}.jsonl", folder, shard);
  const std::string tar = fmt::format("{}/recording.{:06}.tar", folder, shard);
  if (cuts == SharCuts::gzipped) return {lines + ".gz", tar};
  return {lines, tar, idx_name(lines), idx_name(tar)};
}

void write_shar_copies(SharCuts cuts, const FormWork& work, WrittenIndexes& written) {
  std::mutex mutex;
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    const auto files = copy_shard(work.shards[i], i, cuts, work.folder, work.reporter);
    const std::lock_guard lock(mutex);
    written.files.insert(written.files.end(), files.begin(), files.end());
  });
}

}  // namespace shardmill::dataset
