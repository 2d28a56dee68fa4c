#include "dataset/parity.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "codec/erasure_code.hpp"

namespace shardmill::dataset {

namespace {

using manifest::ParityGroup;

// A thread takes a stripe of each piece at a time, and works on strips of it that fit into the cache.
constexpr std::uint64_t kStripeBytes = 1 << 20;
constexpr std::uint64_t kStripBytes = 32 << 10;
constexpr std::string_view kRecordGroup = "records";
constexpr std::string_view kPendingGroup = "pending";

std::size_t groups_for(std::size_t files) {
  return (files + codec::kMostDataPieces - 1) / codec::kMostDataPieces;
}

std::string group_name(std::string_view kind, std::size_t number) {
  return fmt::format("{}_{:06}", kind, number);
}

void add_groups(std::string_view kind, const std::vector<ParityGroup::File>& files, std::uint32_t parity,
                std::vector<ParityGroup>& groups) {
  const std::size_t count = groups_for(files.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = files.begin() + static_cast<std::ptrdiff_t>(files.size() * i / count);
    const auto end = files.begin() + static_cast<std::ptrdiff_t>(files.size() * (i + 1) / count);
    groups.push_back({.name = group_name(kind, i), .parity_files = parity, .files = {begin, end}});
  }
}

bool is_parity(const ParityGroup& group, std::uint32_t piece) {
  return piece >= group.files.size();
}

std::uint32_t parity_number(const ParityGroup& group, std::uint32_t piece) {
  return piece - static_cast<std::uint32_t>(group.files.size());
}

/// A piece that exists: its bytes, as if zeros followed them.
struct Source {
  base::File file;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  /// Fills all of `out`, with zeros after the end of the piece.
  void read(std::span<std::byte> out, std::uint64_t offset) const {
    const std::uint64_t there = offset >= bytes ? 0 : std::min<std::uint64_t>(out.size(), bytes - offset);
    const auto wanted = out.first(static_cast<std::size_t>(there));
    if (there > 0 && file.read_at(wanted, begin + offset) != there)
      throw Error("became shorter while it was read", at(file.path()));
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(there), out.end(), std::byte{});
  }

  /// Lets the disk read long stretches of each of many files.
  void read_ahead(std::uint64_t offset) const {
    if (offset >= bytes) return;
    ::posix_fadvise(file.descriptor(), static_cast<off_t>(begin + offset), static_cast<off_t>(kStripeBytes),
                    POSIX_FADV_WILLNEED);  // only advice: a failure does not matter
  }
};

/// A piece that is computed.
class Target {
 public:
  Target(const ParityGroup& group, std::uint32_t piece, const std::string& folder)
      : name_(is_parity(group, piece) ? manifest::parity_file_name(group.name, parity_number(group, piece))
                                      : group.files[piece].path),
        header_(is_parity(group, piece) ? manifest::parity_header(group, parity_number(group, piece)) : ""),
        bytes_(is_parity(group, piece) ? group.payload_bytes() : group.files[piece].bytes) {
    const std::string path = folder + "/" + name_;
    base::make_folders(std::filesystem::path(path).parent_path());
    file_ = std::make_unique<base::AtomicFile>(path);
    file_->file().write_at(base::as_bytes(header_), 0);
  }

  void write(std::span<const std::byte> bytes, std::uint64_t offset) {
    if (offset >= bytes_) return;
    const std::uint64_t wanted = std::min<std::uint64_t>(bytes.size(), bytes_ - offset);
    file_->file().write_at(bytes.first(static_cast<std::size_t>(wanted)), header_.size() + offset);
  }

  /// Call it for the whole stretch that was just written. Any thread may do so.
  void start_writeback(std::uint64_t offset) {
    file_->file().start_writeback(header_.size() + offset, kStripeBytes);
  }

  manifest::Checksum commit(base::Reporter& reporter) {
    base::Sha256 hash;
    std::vector<std::byte> step(kStripeBytes);
    for (std::uint64_t offset = 0; offset < header_.size() + bytes_; offset += step.size()) {
      reporter.check_stop();
      const std::size_t got = file_->file().read_at(step, offset);
      hash.update(std::span(step).first(got));
    }
    if (!header_.empty()) {
      const std::string seal = base::to_hex(hash.digest()) + "\n";
      file_->file().write_at(base::as_bytes(seal), header_.size() + bytes_);
      hash.update(base::as_bytes(seal));
    }
    file_->commit();
    return {.sha256 = base::to_hex(hash.digest()), .path = name_};
  }

 private:
  std::string name_;
  std::string header_;  // empty for a file that the group protects
  std::uint64_t bytes_;
  std::unique_ptr<base::AtomicFile> file_;
};

Source open_source(const ParityGroup& group, std::uint32_t piece, const std::string& path) {
  Source source{.file = base::File::open_read(path)};
  const std::uint64_t size = source.file.size();
  std::uint64_t wanted = 0;
  if (is_parity(group, piece)) {
    source.begin = manifest::parity_header(group, parity_number(group, piece)).size();
    source.bytes = group.payload_bytes();
    wanted = source.begin + source.bytes + manifest::kParitySealBytes;
  } else {
    source.bytes = group.files[piece].bytes;
    wanted = source.bytes;
  }
  if (size != wanted) throw Error(fmt::format("has {} of {} bytes", size, wanted), at(path));
  return source;
}

/// The share of one thread in the work: a stripe of all pieces.
class StripeWork {
 public:
  StripeWork(const codec::ErasureMap& map, const std::vector<Source>& sources, std::vector<Target>& targets)
      : map_(map),
        sources_(sources),
        targets_(targets),
        memory_((sources.size() + targets.size()) * kStripBytes) {
    for (std::size_t i = 0; i < sources.size(); ++i) in_.push_back(memory_.data() + i * kStripBytes);
    for (std::size_t i = 0; i < targets.size(); ++i)
      out_.push_back(memory_.data() + (sources.size() + i) * kStripBytes);
  }

  void run(std::uint64_t begin, std::uint64_t end, base::Reporter& reporter) {
    for (const Source& source : sources_) source.read_ahead(begin);
    for (std::uint64_t offset = begin; offset < end; offset += kStripBytes) {
      reporter.check_stop();
      const auto bytes = static_cast<std::size_t>(std::min(kStripBytes, end - offset));
      for (std::size_t i = 0; i < sources_.size(); ++i)
        sources_[i].read(std::span(memory_).subspan(i * kStripBytes, bytes), offset);
      map_.apply(in_, out_, bytes);
      for (std::size_t i = 0; i < targets_.size(); ++i) targets_[i].write({out_[i], bytes}, offset);
    }
    for (Target& target : targets_) target.start_writeback(begin);
  }

 private:
  const codec::ErasureMap& map_;
  const std::vector<Source>& sources_;
  std::vector<Target>& targets_;
  std::vector<std::byte> memory_;
  std::vector<const std::byte*> in_;
  std::vector<std::byte*> out_;
};

}  // namespace

std::vector<ParityGroup> parity_groups(const ProtectedFiles& files, std::uint32_t parity) {
  std::vector<ParityGroup> groups;
  add_groups(manifest::kShardFolder, files.shards, parity, groups);
  add_groups(manifest::kManifestFolder, files.manifests, parity, groups);
  groups.push_back({.name = std::string(kRecordGroup), .parity_files = parity, .files = files.records});
  if (!files.pending.empty())
    groups.push_back({.name = std::string(kPendingGroup), .parity_files = parity, .files = files.pending});
  return groups;
}

std::string pending_parity_name(std::uint32_t file) {
  return manifest::parity_file_name(kPendingGroup, file);
}

std::vector<std::string> parity_file_names(std::uint64_t shards, std::uint32_t parity) {
  std::vector<std::string> names;
  for (std::uint32_t file = 0; file < parity; ++file) {
    for (std::size_t group = 0; group < groups_for(shards); ++group) {
      for (const std::string_view kind : {manifest::kShardFolder, manifest::kManifestFolder})
        names.push_back(manifest::parity_file_name(group_name(kind, group), file));
    }
    names.push_back(manifest::parity_file_name(kRecordGroup, file));
  }
  return names;
}

std::vector<manifest::Checksum> compute_pieces(const ParityGroup& group, const PiecePlaces& whole,
                                               const std::vector<std::uint32_t>& wanted,
                                               const std::string& folder, pipeline::Workers& workers,
                                               base::Reporter& reporter) {
  std::vector<std::uint32_t> from;
  std::vector<Source> sources;
  for (const auto& [piece, path] : whole) {
    if (from.size() == group.files.size()) break;
    sources.push_back(open_source(group, piece, path));
    from.push_back(piece);
  }
  const codec::ErasureMap map(static_cast<std::uint32_t>(group.files.size()), from, wanted);
  std::vector<Target> targets;
  targets.reserve(wanted.size());
  for (const std::uint32_t piece : wanted) targets.emplace_back(group, piece, folder);
  std::uint64_t length = 0;  // nothing after this is wanted
  for (const std::uint32_t piece : wanted)
    length = std::max(length, is_parity(group, piece) ? group.payload_bytes() : group.files[piece].bytes);
  const auto stripes = static_cast<std::size_t>((length + kStripeBytes - 1) / kStripeBytes);
  workers.for_each(
      stripes,
      [&](std::size_t stripe) {
        const std::uint64_t begin = stripe * kStripeBytes;
        StripeWork(map, sources, targets).run(begin, std::min(length, begin + kStripeBytes), reporter);
      },
      (sources.size() + targets.size()) * kStripBytes);
  std::vector<manifest::Checksum> written(targets.size());
  workers.for_each(
      targets.size(), [&](std::size_t i) { written[i] = targets[i].commit(reporter); }, kStripeBytes);
  return written;
}

std::vector<manifest::Checksum> write_parity(const ParityGroup& group,
                                             const std::map<std::string, std::string>& places,
                                             const std::string& folder, pipeline::Workers& workers,
                                             base::Reporter& reporter) {
  PiecePlaces whole;
  std::vector<std::uint32_t> wanted;
  const auto files = static_cast<std::uint32_t>(group.files.size());
  for (std::uint32_t i = 0; i < files; ++i) whole.emplace(i, places.at(group.files[i].path));
  for (std::uint32_t i = 0; i < group.parity_files; ++i) wanted.push_back(files + i);
  return compute_pieces(group, whole, wanted, folder, workers, reporter);
}

std::vector<manifest::Checksum> write_all_parity(const ParitySource& source, std::uint32_t parity,
                                                 const std::string& ready, pipeline::Workers& workers,
                                                 base::Reporter& reporter) {
  reporter.phase("writing parity");
  std::map<std::string, std::string> sums;
  for (const manifest::Checksum& checksum : source.checksums) sums[checksum.path] = checksum.sha256;
  const auto file = [&](const std::string& name) {
    return manifest::ParityGroup::File{
        .path = name, .bytes = base::File::open_read(source.places.at(name)).size(), .sha256 = sums.at(name)};
  };
  ProtectedFiles files;
  for (const std::string& shard : source.shards) files.shards.push_back(file(shard));
  for (const std::string& manifest : source.manifests) files.manifests.push_back(file(manifest));
  for (const std::string& name : source.pending) files.pending.push_back(file(name));
  for (const std::string_view name : kProtectedRecords) files.records.push_back(file(std::string(name)));
  std::vector<manifest::Checksum> all;
  for (const manifest::ParityGroup& group : parity_groups(files, parity)) {
    for (manifest::Checksum& written : write_parity(group, source.places, ready, workers, reporter))
      all.push_back(std::move(written));
  }
  return all;
}

}  // namespace shardmill::dataset
