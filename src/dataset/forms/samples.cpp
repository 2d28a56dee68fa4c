#include "dataset/forms/samples.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/line_reader.hpp"
#include "dataset/forms/index_pack.hpp"
#include "shard/plain_walk.hpp"

namespace shardmill::dataset {

void for_each_sample(const std::string& manifest, base::Reporter& reporter, const UseSample& use) {
  base::LineReader lines(manifest);
  base::JsonParser parser;
  manifest::SampleRecord record;
  for (std::string_view line; lines.next(line);) {
    reporter.check_stop();
    try {
      const base::JsonValue json = parser.parse(line);
      read_record(json, record);
      use(record, json);
    } catch (const Error& error) {
      if (!error.where().path.empty()) throw;
      throw lines.here(error);
    }
  }
}

std::string fact_text(const base::JsonValue& line, std::string_view fact) {
  const auto value = line.find(fact);
  if (!value || value->is_null() || value->is_array() || value->is_object()) return {};
  std::string text = value->line();
  return text.starts_with('"') ? std::string(value->text()) : text;
}

SampleAudio::SampleAudio(const std::string& shard) : tar_(base::File::open_read(shard)) {}

std::span<const std::byte> SampleAudio::read(const manifest::SampleRecord& record) {
  audio_.resize(record.audio_bytes);
  const std::size_t got = tar_.read_at(audio_, record.tar_offset);
  if (got == audio_.size() && base::xxh3_128(audio_) == record.xxh3) return audio_;
  throw Error("is not the audio that the manifest describes",
              Where{.path = tar_.path(), .member = record.audio_filepath, .offset = record.tar_offset},
              "shardmill verify shows the damage");
}

namespace {

using HeaderReaders = std::vector<std::unique_ptr<HeaderReader>>;

/// Reads the headers of all shards. If a form takes them in order, only a few shards are read at a time, so
/// that few layouts are in memory.
std::vector<CountedShard> read_all_headers(const FormWork& work, const HeaderReaders& readers,
                                           WrittenIndexes& written) {
  const std::vector<ShardToIndex>& shards = work.shards;
  std::vector<CountedShard> counted(shards.size());
  std::mutex mutex;
  const bool in_order = std::any_of(readers.begin(), readers.end(),
                                    [](const auto& reader) { return reader->takes_all_in_order(); });
  const std::size_t together = in_order ? 2 * std::size_t{work.workers.threads()} : shards.size();
  for (std::size_t begin = 0; begin < shards.size(); begin += together) {
    const std::size_t count = std::min(together, shards.size() - begin);
    std::vector<ShardLayout> layouts(in_order ? count : 0);
    work.workers.for_each(count, [&](std::size_t i) {
      work.reporter.check_stop();
      const ShardToIndex& shard = shards[begin + i];
      const base::File tar = base::File::open_read(shard.path);
      ShardLayout layout = shard::layout_of(tar);
      if (layout.samples.empty())
        throw Error("has no samples, and some loaders stop at such a shard", at(shard.path), "leave it out");
      counted[begin + i] = {.name = shard.name, .samples = layout.samples.size(), .bytes = tar.size()};
      std::vector<manifest::Checksum> files;
      for (const auto& reader : readers) reader->write_beside({shard, layout, tar.size()}, files);
      if (in_order) layouts[i] = std::move(layout);
      const std::lock_guard lock(mutex);
      written.files.insert(written.files.end(), files.begin(), files.end());
    });
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      work.reporter.check_stop();
      for (const auto& reader : readers)
        reader->add({shards[begin + i], layouts[i], counted[begin + i].bytes});
    }
  }
  return counted;
}

}  // namespace

void write_from_headers(const FormWork& work, WrittenIndexes& written) {
  HeaderReaders readers;
  for (const LoaderForm* const form : work.forms) {
    if (form->read_headers != nullptr) readers.push_back(form->read_headers(work));
  }
  if (readers.empty()) return;
  const std::vector<CountedShard> shards = read_all_headers(work, readers, written);
  for (const auto& reader : readers) reader->finish(shards, written);
  for (const CountedShard& shard : shards) written.samples += shard.samples;
}

std::string without_tar(std::string_view name) {
  constexpr std::string_view kTar = ".tar";
  if (name.ends_with(kTar)) name.remove_suffix(kTar.size());
  return std::string(name);
}

std::string tar_index_name(std::string_view shard_name) {
  return without_tar(shard_name) + ".tar.idx";
}

std::string sample_places(const ShardLayout& layout, std::uint64_t end) {
  std::string out;
  out.reserve(8 * (layout.samples.size() + 1));
  for (const ShardLayout::Sample& sample : layout.samples) append_place(out, sample.header_offset);
  append_place(out, end);
  return out;
}

}  // namespace shardmill::dataset
