// Mosaic's streaming datasets (MDS): a copy of the samples in files that are read by number.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::dataset {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

/// The columns in the order of their names, in which a sample has them. JSON as Python's json.dumps() writes
/// it, so that the bytes are those of MDSWriter.
constexpr std::string_view kMdsConfig =
    R"("column_encodings": ["bytes", "str", "float64", "str", "str", "int", "str", "str"], )"
    R"("column_names": ["audio", "dataset", "duration", "key", "language", "sample_rate", "speaker", "text"], )"
    R"("column_sizes": [null, null, 8, null, null, 8, null, null], )"
    R"("compression": null, "format": "mds", "hashes": ["sha256"], )";
constexpr std::string_view kMdsConfigEnd = R"("size_limit": null, "version": 2)";

constexpr std::string_view kMdsFolder = "mds";
constexpr std::string_view kMdsIndex = "mds/index.json";

std::string mds_name(std::size_t shard) {
  return fmt::format("shard.{:05}.mds", shard);
}

std::string in_mds(std::string_view name) {
  return fmt::format("{}/{}", kMdsFolder, name);
}

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), &number, sizeof number);
  out.append(bytes.data(), bytes.size());
}

/// The columns after the audio, without their sizes.
struct MdsTexts {
  std::string_view dataset;
  std::string_view key;
  std::string language;
  std::string speaker;
  std::string_view text;

  MdsTexts(const manifest::SampleRecord& record, const base::JsonValue& line)
      : dataset(record.dataset), key(record.key), speaker(shard::speaker_of(line)) {
    if (record.text) text = *record.text;
    language = fact_text(line, manifest::language_field(line));
  }
};

/// The bytes before the audio of a sample, and those after it.
struct MdsFrame {
  std::string head;
  std::string tail;

  MdsFrame(const manifest::SampleRecord& record, const base::JsonValue& line) {
    const MdsTexts texts(record, line);
    append_number(head, static_cast<std::uint32_t>(record.audio_bytes));
    for (const std::string_view text : {texts.dataset, texts.key, std::string_view(texts.language),
                                        std::string_view(texts.speaker), texts.text})
      append_number(head, static_cast<std::uint32_t>(text.size()));
    tail += texts.dataset;
    append_number(tail, record.duration_seconds);
    tail.append(texts.key).append(texts.language);
    append_number(tail, std::int64_t{record.audio.sample_rate});
    tail.append(texts.speaker).append(texts.text);
  }
};

/// The number of samples, where each begins and the last one ends, and the columns.
std::string mds_header(const ShardToIndex& shard, base::Reporter& reporter) {
  std::vector<std::uint64_t> places{0};
  for_each_sample(
      shard.manifest, reporter, [&](const manifest::SampleRecord& record, const base::JsonValue& line) {
        const MdsFrame frame(record, line);
        places.push_back(places.back() + frame.head.size() + record.audio_bytes + frame.tail.size());
      });
  const std::string config = fmt::format("{{{}{}}}", kMdsConfig, kMdsConfigEnd);
  const std::uint64_t begin = sizeof(std::uint32_t) * (1 + places.size()) + config.size();
  if (begin + places.back() > std::numeric_limits<std::uint32_t>::max())
    throw Error("holds more than the 4 GiB that a file of MDS can hold", at(shard.path),
                "make the dataset again with smaller shards, or leave out the index mds");
  std::string header;
  append_number(header, static_cast<std::uint32_t>(places.size() - 1));
  for (const std::uint64_t place : places) append_number(header, static_cast<std::uint32_t>(begin + place));
  return header + config;
}

struct MdsFile {
  manifest::Checksum checksum;
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
};

MdsFile write_mds_file(const ShardToIndex& shard, std::size_t number, const std::string& folder,
                       base::Reporter& reporter) {
  SummedFile file(folder, in_mds(mds_name(number)));
  SampleAudio audio(shard.path);
  MdsFile written;
  const auto write = [&](std::string_view bytes) {
    file.write(bytes);
    written.bytes += bytes.size();
  };
  write(mds_header(shard, reporter));
  for_each_sample(shard.manifest, reporter,
                  [&](const manifest::SampleRecord& record, const base::JsonValue& line) {
                    const MdsFrame frame(record, line);
                    const auto sound = audio.read(record);
                    write(frame.head);
                    write({reinterpret_cast<const char*>(sound.data()), sound.size()});
                    write(frame.tail);
                    ++written.samples;
                  });
  written.checksum = file.commit();
  return written;
}

std::string mds_index(const std::vector<MdsFile>& files) {
  std::string text = R"({"shards": [)";
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i != 0) text += ", ";
    text += fmt::format(R"({{{}"raw_data": {{"basename": "{}", "bytes": {}, "hashes": {{"sha256": "{}"}}}}, )"
                        R"("samples": {}, {}, "zip_data": null}})",
                        kMdsConfig, mds_name(i), files[i].bytes, files[i].checksum.sha256, files[i].samples,
                        kMdsConfigEnd);
  }
  return text + R"(], "version": 2})";
}

std::vector<std::string> mds_names(const std::vector<std::string>& shards, const std::vector<std::string>&) {
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards.size(); ++shard) names.push_back(in_mds(mds_name(shard)));
  names.emplace_back(kMdsIndex);
  return names;
}

void write_mds(const FormWork& work, WrittenIndexes& written) {
  std::vector<MdsFile> files(work.shards.size());
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    files[i] = write_mds_file(work.shards[i], i, work.folder, work.reporter);
  });
  for (const MdsFile& file : files) written.files.push_back(file.checksum);
  written.files.push_back(write_whole(work.folder, std::string(kMdsIndex), mds_index(files)));
}

}  // namespace

LoaderForm mds_form() {
  return {.name = "mds",
          .help = "mds/: Mosaic's streaming dataset, a copy of the audio as it is, with its texts",
          .lists_texts = true,
          .copies_audio = true,
          .folder = kMdsFolder,
          .sign = kMdsIndex,
          .owns = [](std::string_view file) { return manifest::is_below(file, kMdsFolder); },
          .files = mds_names,
          .write = write_mds};
}

}  // namespace shardmill::dataset
