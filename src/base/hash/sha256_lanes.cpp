#include "base/hash/sha256_lanes.hpp"

#include <algorithm>

namespace shardmill::base {

// A stream that is being hashed, and the number of whole blocks left in its current piece.
struct Sha256Lane {
  Sha256Feed* feed = nullptr;
  std::size_t blocks = 0;

  std::span<const std::byte>& piece() const { return feed->pieces[feed->next]; }

  void begin(Sha256Feed& with) {
    feed = &with;
    find_blocks();
  }

  // Finds the next piece with whole blocks. Bytes that do not fill a block go to the stream alone, not to the
  // lanes. If no blocks are left afterwards, the feed is used up.
  void find_blocks() {
    constexpr std::size_t kBlock = Sha256::kBlockBytes;
    for (; feed->next < feed->pieces.size(); ++feed->next) {
      const std::size_t missing = (kBlock - feed->stream->bytes_ % kBlock) % kBlock;
      add_alone(std::min(missing, piece().size()));
      blocks = piece().size() / kBlock;
      if (blocks > 0) return;
      add_alone(piece().size());
    }
  }

  void add_alone(std::size_t bytes) const {
    feed->stream->update(piece().first(bytes));
    piece() = piece().subspan(bytes);
  }

  void load(Sha256LaneWords& words, std::size_t lane) const {
    for (std::size_t i = 0; i < words.size(); ++i) words[i][lane] = feed->stream->words_[i];
  }

  void store(const Sha256LaneWords& words, std::size_t lane, std::size_t added_blocks) {
    for (std::size_t i = 0; i < words.size(); ++i) feed->stream->words_[i] = words[i][lane];
    feed->stream->bytes_ += added_blocks * Sha256::kBlockBytes;
    piece() = piece().subspan(added_blocks * Sha256::kBlockBytes);
    blocks -= added_blocks;
    if (blocks == 0) find_blocks();
  }
};

void Sha256Feed::finish() {
  for (; next < pieces.size(); ++next) stream->update(pieces[next]);
}

namespace {

#if defined(__x86_64__)
// Adds as many blocks to every lane as the shortest lane has.
void add_blocks(std::span<Sha256Lane> lanes) {
  Sha256LaneWords words{};
  std::array<const std::byte*, kSha256Lanes> data;
  data.fill(lanes.front().piece().data());  // lanes without a stream must read something, too
  std::size_t blocks = lanes.front().blocks;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].load(words, i);
    data[i] = lanes[i].piece().data();
    blocks = std::min(blocks, lanes[i].blocks);
  }
  update_sha256_lanes_avx512(words, data, blocks);
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].store(words, i, blocks);
}
#else
void add_blocks(std::span<Sha256Lane>) {}
#endif

}  // namespace

bool Sha256Lanes::pays(std::size_t streams) const noexcept {
  return path_ == VectorPath::avx512 && streams >= kFewestSha256Lanes;
}

void Sha256Lanes::update(std::span<Sha256Feed> feeds, std::size_t fewest) const {
  if (!pays(feeds.size())) return;
  std::vector<Sha256Lane> lanes;
  auto next = feeds.begin();
  for (;;) {
    std::erase_if(lanes, [](const Sha256Lane& lane) { return lane.blocks == 0; });
    while (lanes.size() < kSha256Lanes && next != feeds.end()) {
      lanes.emplace_back().begin(*next++);
      if (lanes.back().blocks == 0) lanes.pop_back();
    }
    if (lanes.size() < fewest) return;
    add_blocks(lanes);
  }
}

}  // namespace shardmill::base
