#include "update/assembly.hpp"

#include <filesystem>
#include <memory>

#include "archive/tar_header.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"

namespace shardmill::update {

namespace {

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

}  // namespace

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

}  // namespace shardmill::update
