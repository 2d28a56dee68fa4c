#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/tar_header.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "codec/codec.hpp"
#include "dataset/environment.hpp"
#include "manifest/layout.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "update/stock.hpp"
#include "update/updating.hpp"

namespace shardmill::update {

namespace {

struct Target {
  std::string tar;       // where it will be, relative to the dataset's folder
  std::string manifest;  // the same
  std::uint32_t shard_id = 0;
  codec::EncoderOptions format;
  std::vector<std::uint32_t> samples;  // of the stock, in the order in which they are written
};

struct WrittenTarget {
  check::ShardContents contents;  // as the manifest says, transcripts as they were counted
  std::uint64_t bytes = 0;        // of the file
  std::uint64_t tar_bytes = 0;    // of the plain tar
  std::string sha256;
  std::string manifest_sha256;
};

/// A file that is hashed while it is written.
class HashedFile {
 public:
  explicit HashedFile(const std::string& path) : file_(path) {}

  void write(std::span<const std::byte> bytes) {
    hash_.update(bytes);
    file_.write(bytes);
  }
  std::uint64_t size() const { return file_.size(); }
  /// Returns the SHA-256.
  std::string commit() {
    file_.commit();
    return base::to_hex(hash_.digest());
  }

 private:
  base::AtomicFile file_;
  base::Sha256 hash_;
};

class TargetWriter {
 public:
  TargetWriter(const Target& target, const Stock& stock, const std::string& folder)
      : target_(target),
        stock_(stock),
        tar_(folder + "/" + target.tar),
        manifest_(folder + "/" + target.manifest) {
    codec::EncoderOptions format = target.format;
    if (format.codec == codec::Codec::none) return;
    std::uint64_t plain = archive::kTarEndBytes;
    for (const std::uint32_t sample : target.samples) plain += stock.samples()[sample].bytes;
    format.plain_bytes = plain;
    encoder_ = codec::make_encoder(format, [this](std::span<const std::byte> bytes) { tar_.write(bytes); });
  }

  WrittenTarget run(base::Reporter& reporter) {
    for (const std::uint32_t sample : target_.samples) {
      reporter.check_stop();
      add(stock_.samples()[sample]);
      reporter.progress().samples += 1;
    }
    Bytes end;
    archive::append_end(end);
    write(end);
    if (encoder_) encoder_->finish();
    written_.bytes = tar_.size();
    written_.sha256 = tar_.commit();
    written_.manifest_sha256 = manifest_.commit();
    return std::move(written_);
  }

 private:
  void write(std::span<const std::byte> bytes) {
    written_.tar_bytes += bytes.size();
    if (encoder_) {
      encoder_->write(bytes);
    } else {
      tar_.write(bytes);
    }
  }

  void add(const StockSample& sample) {
    Stock::Read read = stock_.read(sample);
    read.record.shard_id = target_.shard_id;
    read.record.tar_offset = written_.tar_bytes + read.record.tar_offset - sample.begin;
    write(read.packed);
    std::string line;
    append_line(line, read.record);
    manifest_.write(base::as_bytes(line));
    // A transcript counts wherever it was found.
    const bool has_text = sample.has_text;
    read.record.text.reset();
    written_.contents.add(read.record);
    if (has_text) ++written_.contents.with_text[read.record.dataset];
  }

  const Target& target_;
  const Stock& stock_;
  HashedFile tar_;
  HashedFile manifest_;
  std::unique_ptr<codec::Encoder> encoder_;
  WrittenTarget written_;
};

/// Writes all targets below `folder` under their names, whole and synced; several at a time. The same bytes
/// for any number of threads.
std::vector<WrittenTarget> write_targets(const std::vector<Target>& targets, const Stock& stock,
                                         const std::string& folder, pipeline::Workers& workers,
                                         base::Reporter& reporter) {
  for (const Target& target : targets) {
    for (const std::string& name : {target.tar, target.manifest})
      base::make_folders(std::filesystem::path(folder + "/" + name).parent_path());
  }
  std::vector<WrittenTarget> written(targets.size());
  const std::uint64_t memory = targets.empty() ? 0 : codec::encoder_memory_bytes(targets.front().format);
  workers.for_each(
      targets.size(),
      [&](std::size_t index) { written[index] = TargetWriter(targets[index], stock, folder).run(reporter); },
      memory);
  return written;
}

std::string shard_name(const dataset::Recipe& recipe, std::uint32_t shard) {
  return manifest::shard_path(recipe.prefix, shard, codec::suffix(recipe.codec));
}

/// What is written: the changed shards in their order, and at the end the samples that wait.
class Targets {
 public:
  Targets(const Request& request, const Decision& decision, const Stock& stock) : stock_(stock) {
    std::vector<std::uint32_t> target_of(decision.shards, kNoShard);
    for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
      if (!decision.changed[shard]) continue;
      target_of[shard] = static_cast<std::uint32_t>(all_.size());
      all_.push_back({.tar = shard_name(request.recipe, shard),
                      .manifest = manifest::manifest_path(shard),
                      .shard_id = shard,
                      .format = repack::encoder_options(request.recipe),
                      .samples = {}});
    }
    Target waiting{.tar = std::string(manifest::kPendingTar),
                   .manifest = std::string(manifest::kPendingManifest),
                   .format = {},
                   .samples = {}};
    for (std::uint32_t i = 0; i < decision.shard_of.size(); ++i) {
      if (stock.samples()[i].is_removed) continue;
      const std::uint32_t shard = decision.shard_of[i];
      if (shard == kNoShard) {
        waiting.samples.push_back(i);
      } else if (decision.changed[shard]) {
        all_[target_of[shard]].samples.push_back(i);
      }
    }
    for (Target& target : all_) sort_samples(target);
    has_waiting_ = !waiting.samples.empty();
    if (has_waiting_) all_.push_back(std::move(waiting));
  }

  const std::vector<Target>& all() const noexcept { return all_; }
  bool has_waiting() const noexcept { return has_waiting_; }

  std::uint64_t sample_bytes() const {
    std::uint64_t bytes = 0;
    for (const Target& target : all_) {
      for (const std::uint32_t sample : target.samples) bytes += stock_.samples()[sample].bytes;
    }
    return bytes;
  }

 private:
  /// An order that mixes the samples.
  void sort_samples(Target& target) const {
    const auto& all = stock_.samples();
    std::stable_sort(target.samples.begin(), target.samples.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return all[a].key < all[b].key; });
  }

  const Stock& stock_;
  std::vector<Target> all_;
  bool has_waiting_ = false;
};

UpdatedShard written_shard(const Target& target, const WrittenTarget& written, const std::string& folder) {
  UpdatedShard shard{.contents = written.contents,
                     .files = {.record = {},
                               .tally = {},
                               .tar = base::inside(folder, target.tar),
                               .manifest = base::inside(folder, target.manifest),
                               .manifest_sha256 = written.manifest_sha256}};
  shard.files.record.bytes = written.bytes;
  shard.files.record.tar_bytes = written.tar_bytes;
  shard.files.record.sha256 = written.sha256;
  return shard;
}

/// A shard that stays as it is.
UpdatedShard kept_shard(const dataset::DatasetRecords& records, const Facts& facts, std::uint32_t number) {
  const manifest::ShardRecord& record = (*records.shards)[number];
  const std::string manifest = manifest::manifest_path(number);
  return {.contents = facts.shards[number],
          .files = {.record = record,
                    .tally = {},
                    .tar = records.path(record.path),
                    .manifest = records.path(manifest),
                    .is_new = false,
                    .manifest_sha256 = records.checksums->at(manifest)}};
}

}  // namespace

std::string ready_folder(const Request& request) {
  return request.work + "/new";
}

Rewritten rewrite(const Request& request, const Facts& facts, const Decision& decision, Stock& stock,
                  pipeline::Workers& workers, base::Reporter& reporter) {
  // Shards were opened for an attempt that failed, too.
  for (std::uint32_t shard = 0; shard < std::min(request.old_shards(), decision.shards); ++shard) {
    if (!decision.changed[shard]) stock.skip(shard);
  }
  stock.locate(request.work + "/plain", workers, reporter);
  const Targets targets(request, decision, stock);
  if (!request.options.ignore_free_space)
    dataset::check_free_space(request.options.folder, targets.sample_bytes());
  const std::string folder = ready_folder(request);
  base::remove_tree(folder);
  const std::vector<WrittenTarget> written = write_targets(targets.all(), stock, folder, workers, reporter);

  Rewritten result;
  const auto of_target = [&](std::size_t target) {
    return written_shard(targets.all()[target], written[target], folder);
  };
  std::size_t target = 0;
  for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
    if (decision.changed[shard]) {
      result.shards.push_back(of_target(target++));
    } else {
      result.shards.push_back(kept_shard(request.records, facts, shard));
    }
  }
  if (targets.has_waiting()) result.pending = of_target(target);
  for (const WrittenTarget& one : written) result.bytes += one.bytes;
  return result;
}

}  // namespace shardmill::update
