#include "shardmill/pipeline/pack_shards.hpp"

#include "shardmill/base/hash.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::size_t kStepBytes = 1 << 20;

template <typename Use>
void read_through(const std::string& path, base::Reporter& reporter, Use use) {
  base::File file = base::File::open_read(path);
  Bytes step(kStepBytes);
  for (;;) {
    reporter.check_stop();
    const std::size_t got = file.read(step);
    use(std::span<const std::byte>(step).first(got));
    if (got < step.size()) return;
  }
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

PackedShard compress(const SpoolSet& spools, std::uint32_t shard, codec::EncoderOptions format,
                     base::Reporter& reporter) {
  const std::string tar = spools.tar_path(shard);
  format.plain_bytes = base::File::open_read(tar).size();
  base::AtomicFile out(spools.packed_path(shard));
  base::Sha256 hash;
  const auto encoder = codec::make_encoder(format, [&](std::span<const std::byte> bytes) {
    hash.update(bytes);
    out.write(bytes);
  });
  read_through(tar, reporter, [&](std::span<const std::byte> bytes) {
    encoder->write(bytes);
    reporter.progress().input_bytes += bytes.size();
  });
  encoder->finish();
  out.commit();
  base::remove_file(tar);
  return {.path = spools.packed_path(shard), .bytes = out.size(), .sha256 = base::to_hex(hash.digest())};
}

}  // namespace

std::vector<PackedShard> pack_shards(const SpoolSet& spools, const codec::EncoderOptions& format,
                                     Workers& workers, base::Reporter& reporter) {
  std::vector<PackedShard> packed(spools.size());
  if (format.codec == codec::Codec::none) {
    const auto states = spools.states();
    for (std::uint32_t i = 0; i < spools.size(); ++i) {
      if (!states[i].is_hashed) continue;
      packed[i] = {.path = spools.tar_path(i),
                   .bytes = states[i].tar_bytes,
                   .sha256 = base::to_hex(base::Sha256::from_state(states[i].tar_hash).digest())};
    }
    workers.for_each(packed.size(), [&](std::size_t index) {
      const auto shard = static_cast<std::uint32_t>(index);
      if (!states[index].is_hashed) packed[index] = hashed(spools.tar_path(shard), reporter);
    });
    return packed;
  }
  const auto pack_one = [&](std::size_t index) {
    const auto shard = static_cast<std::uint32_t>(index);
    packed[index] = spools.is_packed(shard) ? hashed(spools.packed_path(shard), reporter)
                                            : compress(spools, shard, format, reporter);
  };
  workers.for_each(packed.size(), pack_one, kStepBytes + codec::encoder_memory_bytes(format));
  return packed;
}

}  // namespace shardmill::pipeline
