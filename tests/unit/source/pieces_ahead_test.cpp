#include "source/pieces_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::source {
namespace {

/// Counts what is taken, and works on threads of its own, or not at all.
class CountingThreads final : public OtherThreads {
 public:
  CountingThreads(std::size_t most, std::uint64_t limit_bytes, bool works)
      : most_(most), limit_bytes_(limit_bytes), works_(works) {}
  ~CountingThreads() override {
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t most_ahead() const override { return most_; }
  bool take(std::uint64_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (taken_ + bytes > limit_bytes_) return false;
    taken_ += bytes;
    highest_ = std::max(highest_, taken_);
    return true;
  }
  void give_back(std::uint64_t bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
  }
  void start(std::function<void()> work) override {
    ++started_;
    if (works_) threads_.emplace_back(std::move(work));
  }

  std::uint64_t taken() const { return taken_; }
  std::uint64_t highest() const { return highest_; }
  std::size_t started() const { return started_; }

 private:
  std::size_t most_;
  std::uint64_t limit_bytes_;
  bool works_;
  std::mutex mutex_;
  std::uint64_t taken_ = 0;
  std::uint64_t highest_ = 0;
  std::size_t started_ = 0;
  std::vector<std::thread> threads_;
};

std::vector<std::byte> plain() {
  std::vector<std::byte> bytes(6'000'000);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 28);
  }
  return bytes;
}

std::vector<std::byte> gzipped(std::span<const std::byte> bytes) {
  std::vector<std::byte> packed;
  const auto encoder = codec::make_encoder(
      {.codec = codec::Codec::gzip},
      [&](std::span<const std::byte> some) { packed.insert(packed.end(), some.begin(), some.end()); });
  encoder->write(bytes);
  encoder->finish();
  return packed;
}

std::vector<std::byte> read_all(PiecesAhead& pieces) {
  std::vector<std::byte> all;
  while (const auto piece = pieces.next()) {
    for (auto some = piece->read(); !some.empty(); some = piece->read())
      all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;

TEST(PiecesAhead, GiveTheSameBytesWhoeverPreparesThem) {
  const auto bytes = plain();
  const auto packed = gzipped(bytes);
  {
    base::File file = base::memory_file(packed, "x.gz");
    PiecesAhead alone(file, nullptr);
    EXPECT_TRUE(read_all(alone) == bytes);
  }
  for (const bool works : {true, false}) {
    for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{4} << 20, kPlenty}) {
      base::File file = base::memory_file(packed, "x.gz");
      CountingThreads threads(4, limit, works);
      PiecesAhead pieces(file, &threads);
      EXPECT_TRUE(read_all(pieces) == bytes);
      EXPECT_EQ(threads.taken(), 0u);
      EXPECT_LE(threads.highest(), limit);
      EXPECT_EQ(threads.started() > 0, limit == kPlenty || threads.highest() > 0);
    }
  }
}

TEST(PiecesAhead, StartNothingWhereOneThreadIsAllThereIs) {
  const auto packed = gzipped(plain());
  base::File file = base::memory_file(packed, "x.gz");
  CountingThreads threads(1, kPlenty, true);
  PiecesAhead pieces(file, &threads);
  read_all(pieces);
  EXPECT_EQ(threads.started(), 0u);
}

TEST(PiecesAhead, MayBeLeftHalfRead) {
  const auto packed = gzipped(plain());
  for (const bool works : {true, false}) {
    CountingThreads threads(4, kPlenty, works);
    {
      base::File file = base::memory_file(packed, "x.gz");
      PiecesAhead pieces(file, &threads);
      EXPECT_NE(pieces.next(), nullptr);
    }
    EXPECT_EQ(threads.taken(), 0u);
  }
}

}  // namespace
}  // namespace shardmill::source
