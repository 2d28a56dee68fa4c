// Writes forms of a small dataset, or of any manifest or headers, into a folder of their own.
#pragma once

#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "dataset/form_files.hpp"
#include "dataset/forms/samples.hpp"
#include "manifest/sample_record.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::testing {

class WrittenForm {
 public:
  explicit WrittenForm(std::string_view name) : forms_{dataset::form_named(name)} {}

  MadeDataset& made() { return made_; }
  std::string file(const std::string& name) const { return out_.file(name); }
  std::string read(const std::string& name) const { return base::read_text(out_.file(name)); }
  /// The names of all files that the form has for `count` shards.
  std::vector<std::string> names(std::size_t count) const {
    std::vector<std::string> shards;
    for (std::size_t i = 0; i < count; ++i)
      shards.push_back(std::string("shards/audio_00000000") + char('0' + i) + ".tar");
    return dataset::form_file_names(forms_, shards, {"set"});
  }

  /// Of the first `count` shards, listed below /r.
  dataset::WrittenIndexes write(std::size_t count = 1) {
    std::vector<dataset::ShardToIndex> shards;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number = std::string("00000000") + char('0' + i);
      const std::string name = "shards/audio_" + number + ".tar";
      shards.push_back({.path = made_.path(name),
                        .name = name,
                        .manifest = made_.path("manifests/manifest_" + number + ".json"),
                        .listed = "/r/" + name,
                        .sha256 = "abc"});
    }
    return write_shards(shards);
  }

  /// Of a manifest with these records, whose shard is shards/a.tar.
  dataset::WrittenIndexes write_records(const std::vector<manifest::SampleRecord>& records) {
    std::string lines;
    for (const manifest::SampleRecord& record : records) append_line(lines, record);
    return write_shards(
        {{.path = {}, .name = "shards/a.tar", .manifest = out_.write("manifest.json", lines)}});
  }

  dataset::WrittenIndexes write_shards(const std::vector<dataset::ShardToIndex>& shards) {
    return dataset::write_form_files(forms_, shards, out_.path().string(), made_.workers(), made_.reporter());
  }

  /// Of a shard with these headers and `bytes` bytes.
  dataset::WrittenIndexes write_layout(const ShardLayout& layout, const std::string& name = "x.tar",
                                       std::uint64_t bytes = 0) {
    const std::vector<dataset::ShardToIndex> shards{{.path = name, .name = name, .manifest = {}}};
    const std::string folder = out_.path().string();
    const auto reader = forms_[0]->read_headers({forms_, shards, folder, made_.workers(), made_.reporter()});
    dataset::WrittenIndexes written;
    reader->write_beside({shards[0], layout, bytes}, written.files);
    reader->finish({{.name = name, .samples = layout.samples.size(), .bytes = bytes}}, written);
    return written;
  }

 private:
  dataset::Forms forms_;
  MadeDataset made_;
  TemporaryFolder out_;
};

}  // namespace shardmill::testing
