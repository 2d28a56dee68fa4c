#include <algorithm>
#include <cstring>
#include <optional>

#include "audio/flac.hpp"
#include "audio/flac/stream.hpp"
#include "base/hash/md5.hpp"

namespace shardmill::audio {

namespace {

constexpr std::size_t kStepBytes = 16 << 10;  // of values at a time, so that eight lanes fit into the cache

/// One FLAC that is being decoded, and its values whose MD5 is not computed yet.
class Lane {
 public:
  bool is_busy() const { return stream_.has_value(); }
  std::size_t number() const { return number_; }
  const std::byte* data() const { return values_.data() + hashed_; }
  std::size_t blocks() const { return (values_.size() - hashed_) / base::kMd5BlockBytes; }

  void begin(std::size_t number, std::span<const std::byte> flac) {
    number_ = number;
    ended_ = false;
    value_bytes_ = 0;
    values_.clear();
    hashed_ = 0;
    stream_.emplace(flac, FlacStream::Md5::left_to_the_caller, [this](const FlacBlock& block) {
      const std::size_t before = values_.size();
      append_interleaved(block, (block.bits + 7) / 8, 0, values_);
      value_bytes_ += values_.size() - before;
      return true;
    });
  }

  /// Decodes until there are blocks to hash, or everything including the padding has been hashed.
  void fill() {
    if (ended_ || values_.size() - hashed_ >= kStepBytes) return;
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(hashed_));
    hashed_ = 0;
    while (!ended_ && values_.size() < kStepBytes) ended_ = !stream_->next();
    if (ended_) pad();
  }

  void hashed(std::size_t blocks) { hashed_ += blocks * base::kMd5BlockBytes; }
  bool is_done() const { return ended_ && hashed_ == values_.size(); }

  DecodedAudio finish(const FlacStream::Md5Digest& digest) {
    DecodedAudio decoded = stream_->finish();
    const auto& expected = stream_->md5();
    if (decoded.damage.empty() && expected && *expected != digest) decoded.damage = kWrongMd5;
    stream_.reset();
    return decoded;
  }

 private:
  // Adds the padding of MD5: a bit, zeros, and the length.
  void pad() {
    constexpr std::size_t kBlock = base::kMd5BlockBytes;
    constexpr std::size_t kLengthBytes = 8;
    values_.push_back(std::byte{0x80});
    while (values_.size() % kBlock != kBlock - kLengthBytes) values_.push_back(std::byte{0});
    const std::uint64_t bits = 8 * value_bytes_;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
      values_.push_back(static_cast<std::byte>(bits >> 8 * i & 0xff));
  }

  std::optional<FlacStream> stream_;
  std::size_t number_ = 0;
  Bytes values_;
  std::size_t hashed_ = 0;  // bytes of `values_` that are hashed, always whole blocks
  std::uint64_t value_bytes_ = 0;
  bool ended_ = false;
};

class Batch {
 public:
  Batch(std::span<const std::span<const std::byte>> flacs, base::UpdateMd5Lanes update)
      : flacs_(flacs), update_(update), decoded_(flacs.size()) {}

  std::vector<DecodedAudio> decode() {
    while (fill()) {
      hash();
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        Lane& lane = lanes_[i];
        if (lane.is_busy() && lane.is_done()) decoded_[lane.number()] = lane.finish(digest(i));
      }
    }
    return std::move(decoded_);
  }

 private:
  /// Gives work to every lane. Returns false if there is no more work.
  bool fill() {
    bool any = false;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[i];
      if (!lane.is_busy() && next_ < flacs_.size()) {
        lane.begin(next_, flacs_[next_]);
        ++next_;
        for (std::size_t word = 0; word < words_.size(); ++word) words_[word][i] = base::kMd5Begin[word];
      }
      if (lane.is_busy()) lane.fill();
      any = any || lane.is_busy();
    }
    return any;
  }

  /// Hashes as many blocks of every lane as the shortest lane has.
  void hash() {
    base::Md5LaneData data{};
    std::size_t blocks = 0;
    const std::byte* some = nullptr;  // lanes without a stream must read something, too
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (!lanes_[i].is_busy()) continue;
      data[i] = some = lanes_[i].data();
      blocks = blocks == 0 ? lanes_[i].blocks() : std::min(blocks, lanes_[i].blocks());
    }
    std::replace(data.begin(), data.end(), static_cast<const std::byte*>(nullptr), some);
    update_(words_, data, blocks);
    for (Lane& lane : lanes_) {
      if (lane.is_busy()) lane.hashed(blocks);
    }
  }

  FlacStream::Md5Digest digest(std::size_t lane) const {
    FlacStream::Md5Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
      digest[i] = static_cast<std::byte>(words_[i / 4][lane] >> 8 * (i % 4) & 0xff);
    return digest;
  }

  std::span<const std::span<const std::byte>> flacs_;
  base::UpdateMd5Lanes update_;
  std::vector<DecodedAudio> decoded_;
  std::size_t next_ = 0;
  std::array<Lane, base::kMd5Lanes> lanes_;
  base::Md5LaneWords words_{};
};

}  // namespace

std::vector<DecodedAudio> decode_flacs(std::span<const std::span<const std::byte>> flacs,
                                       base::VectorPath path) {
  const base::UpdateMd5Lanes update = base::md5_lanes_update(path);
  if (update != nullptr && flacs.size() > 1) return Batch(flacs, update).decode();
  std::vector<DecodedAudio> decoded;
  for (const auto flac : flacs) decoded.push_back(decode_flac(flac));
  return decoded;
}

}  // namespace shardmill::audio
