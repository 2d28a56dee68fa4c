#include "pipeline/pack_shards.hpp"

#include "base/hash/hash.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/journal.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::size_t kReadBytes = 1 << 20;

// This is no run_ordered(): one thread reads, hashes and compresses a whole shard. There are more shards than
// threads, so this keeps all threads busy.
template <typename Use>
void read_through(const std::string& path, base::Reporter& reporter, Use use) {
  base::File file = base::File::open_read(path);
  Bytes step(kReadBytes);
  for (;;) {
    reporter.check_stop();
    const std::size_t got = file.read(step);
    use(std::span<const std::byte>(step).first(got));
    if (got < step.size()) return;
  }
}

/// The file that records a compressed shard before the shard gets its name.
std::string sum_path(const std::string& packed_path) {
  return packed_path + ".sum";
}

PackedShard hashed(const std::string& path, base::Reporter& reporter) {
  base::Sha256 hash;
  PackedShard packed{.path = path};
  read_through(path, reporter, [&](std::span<const std::byte> bytes) {
    hash.update(bytes);
    packed.bytes += bytes.size();
  });
  packed.sha256 = base::to_hex(hash.digest());
  return packed;
}

/// Hashes a tar that was cut. Its SHA-256 could not be kept.
PackedShard hashed_tar(const SpoolSet& spools, std::uint32_t shard, const SpoolState& state,
                       base::Reporter& reporter) {
  check_file(spools.tar_path(shard), state.tar_mark(), [&] { reporter.check_stop(); });
  return hashed(spools.tar_path(shard), reporter);
}

/// A shard that an earlier run compressed.
PackedShard packed_before(const std::string& path, base::Reporter& reporter) {
  PackedShard packed = hashed(path, reporter);
  const auto sum = read_journal(sum_path(path));
  if (!sum || sum->fingerprint != packed.sha256) throw scratch_damage(path);
  return packed;
}

PackedShard compress(const SpoolSet& spools, std::uint32_t shard, const SpoolState& state,
                     codec::EncoderOptions format, base::Reporter& reporter) {
  const std::string tar = spools.tar_path(shard);
  format.plain_bytes = base::File::open_read(tar).size();
  base::AtomicFile out(spools.packed_path(shard));
  base::Sha256 hash;
  const auto encoder = codec::make_encoder(format, [&](std::span<const std::byte> bytes) {
    hash.update(bytes);
    out.write(bytes);
  });
  base::RunningHash check;
  read_through(tar, reporter, [&](std::span<const std::byte> bytes) {
    check.update(bytes);
    encoder->write(bytes);
    reporter.progress().input_bytes += packing_work(bytes.size(), format);
  });
  encoder->finish();
  if (check.digest() != state.tar_check) throw scratch_damage(tar);
  PackedShard packed{.path = spools.packed_path(shard), .sha256 = base::to_hex(hash.digest())};
  write_journal(sum_path(packed.path), {.fingerprint = packed.sha256, .body = {}});
  out.commit();
  packed.bytes = out.size();
  base::remove_file(tar);
  return packed;
}

/// Replaces the estimated number of bytes that remain to be compressed by the true one.
void expect(const SpoolSet& spools, const codec::EncoderOptions& format, base::Reporter& reporter) {
  std::uint64_t left = 0;
  for (std::uint32_t shard = 0; shard < spools.size(); ++shard) {
    if (!spools.is_packed(shard)) left += packing_work(spools.tar_bytes(shard), format);
  }
  base::Progress& progress = reporter.progress();
  progress.input_bytes_total = progress.input_bytes + left;
}

}  // namespace

std::uint64_t packing_work(std::uint64_t plain_bytes, const codec::EncoderOptions& format) {
  // About how many bytes of bzip2 are read in the time that one byte takes here, measured with speech.
  const auto weight = [&] {
    const int level = format.level.value_or(codec::levels(format.codec)->standard);
    switch (format.codec) {
      case codec::Codec::gzip:
        return level <= 3 ? 0.4 : level <= 6 ? 1.0 : 2.0;
      case codec::Codec::zstd:
        return level <= 4 ? 0.1 : level <= 9 ? 0.4 : level <= 15 ? 2.0 : 8.0;
      default:
        return level <= 2 ? 0.05 : 0.6;
    }
  };
  return static_cast<std::uint64_t>(static_cast<double>(plain_bytes) * weight());
}

std::vector<PackedShard> pack_shards(const SpoolSet& spools, const codec::EncoderOptions& format,
                                     Workers& workers, base::Reporter& reporter) {
  std::vector<PackedShard> packed(spools.size());
  const auto states = spools.states();
  if (format.codec == codec::Codec::none) {
    for (std::uint32_t i = 0; i < spools.size(); ++i) {
      if (!states[i].is_hashed) continue;
      packed[i] = {.path = spools.tar_path(i),
                   .bytes = states[i].tar_bytes,
                   .sha256 = base::to_hex(base::Sha256::from_state(states[i].tar_hash).digest())};
    }
    workers.for_each(packed.size(), [&](std::size_t index) {
      const auto shard = static_cast<std::uint32_t>(index);
      if (!states[index].is_hashed) packed[index] = hashed_tar(spools, shard, states[index], reporter);
    });
    return packed;
  }
  expect(spools, format, reporter);
  const auto pack_one = [&](std::size_t index) {
    const auto shard = static_cast<std::uint32_t>(index);
    packed[index] = spools.is_packed(shard) ? packed_before(spools.packed_path(shard), reporter)
                                            : compress(spools, shard, states[index], format, reporter);
  };
  workers.for_each(packed.size(), pack_one, kReadBytes + codec::encoder_memory_bytes(format));
  return packed;
}

}  // namespace shardmill::pipeline
