#include "shardmill/dataset.hpp"

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "dataset/records.hpp"
#include "library/observing.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill {

namespace {

void fill(SampleInfo& info, const manifest::SampleRecord& record, std::string_view line) {
  info.key = record.key;
  info.dataset = record.dataset;
  info.text = record.text.value_or("");
  info.member_name = record.audio_filepath;
  info.shard = record.shard_id;
  info.tar_offset = record.tar_offset;
  info.audio_bytes = record.audio_bytes;
  info.seconds = record.duration_seconds;
  info.sample_rate = record.audio.sample_rate;
  info.channels = record.audio.channels;
  info.json = line;
}

}  // namespace

Dataset open_dataset(const std::string& folder) {
  const dataset::DatasetRecords records =
      library::with_errors([&] { return dataset::sound_records(folder); });
  Dataset result{.folder = folder,
                 .samples = records.dataset->samples,
                 .seconds = records.dataset->seconds,
                 .shards = {}};
  for (const manifest::ShardRecord& shard : *records.shards) {
    result.shards.push_back({.path = shard.path,
                             .manifest_path = manifest::manifest_path(shard.shard_id),
                             .samples = shard.samples,
                             .seconds = shard.seconds,
                             .bytes = shard.bytes,
                             .codec = shard.codec,
                             .sha256 = shard.sha256});
  }
  return result;
}

void read_manifests(const Dataset& dataset, const std::function<bool(const SampleInfo&)>& callback) {
  library::with_errors([&] {
    base::JsonParser parser;
    manifest::SampleRecord record;
    SampleInfo info;
    for (const ShardInfo& shard : dataset.shards) {
      base::LineReader lines(base::inside(dataset.folder, shard.manifest_path));
      std::string_view line;
      while (lines.next(line)) {
        try {
          read_record(parser.parse(line), record);
        } catch (const Error& error) {
          throw lines.here(error);
        }
        fill(info, record, line);
        if (!callback(info)) return;
      }
    }
  });
}

}  // namespace shardmill
