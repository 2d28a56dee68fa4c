#include "base/hash/sha256_lanes.hpp"

#include <algorithm>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

// Sixteen lanes take as long as seven streams one after another.
constexpr std::size_t kFewestOfSixteen = 8;

#if defined(__x86_64__)
// Every such CPU also has SSE 4.1.
bool has_sha_instructions() {
  constexpr unsigned kFeatures = 7;
  constexpr unsigned kSha = 1U << 29;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

// Adds as many blocks to every lane as the shortest lane has. Two lanes, or more.
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
  if (lanes.size() == 2) {
    update_sha256_lanes_sha(words, data, blocks);
  } else {
    update_sha256_lanes_avx512(words, data, blocks);
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i].store(words, i, blocks);
}
#else
bool has_sha_instructions() {
  return false;
}

void add_blocks(std::span<Sha256Lane>) {}
#endif

}  // namespace

Sha256Lanes::Sha256Lanes(VectorPath path)
    : sixteen_(path == VectorPath::avx512), two_(path != VectorPath::portable && has_sha_instructions()) {}

bool Sha256Lanes::pays(std::size_t streams) const noexcept {
  return (two_ && streams >= 2) || (sixteen_ && streams >= kFewestOfSixteen);
}

std::size_t Sha256Lanes::busy(std::size_t streams) const noexcept {
  if (sixteen_ && streams >= kFewestOfSixteen) {
    return std::max(kFewestOfSixteen, std::min(streams, kSha256Lanes) * 7 / 8);
  }
  return 2;
}

void Sha256Lanes::update(std::span<Sha256Feed> feeds, std::size_t fewest) const {
  if (!pays(feeds.size())) return;
  const std::size_t most = sixteen_ ? kSha256Lanes : 2;
  std::vector<Sha256Lane> lanes;
  auto next = feeds.begin();
  for (;;) {
    std::erase_if(lanes, [](const Sha256Lane& lane) { return lane.blocks == 0; });
    while (lanes.size() < most && next != feeds.end()) {
      lanes.emplace_back().begin(*next++);
      if (lanes.back().blocks == 0) lanes.pop_back();
    }
    if (lanes.size() < fewest || !pays(lanes.size())) return;
    const bool side_by_side = sixteen_ && lanes.size() >= kFewestOfSixteen;
    add_blocks(side_by_side ? std::span(lanes) : std::span(lanes).first(2));
  }
}

}  // namespace shardmill::base
