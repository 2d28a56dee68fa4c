#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "pipeline/spool_set.hpp"

namespace shardmill::pipeline {
namespace {

class HashQueueTest : public ::testing::TestWithParam<base::VectorPath> {
 protected:
  /// Gives `files` files to `threads` threads, each its own, some much longer than others.
  static void fill(HashQueue& queue, std::size_t files, std::size_t threads, std::vector<Bytes>& texts) {
    texts.resize(files);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&queue, &texts, t, threads] {
        std::mt19937 random(static_cast<unsigned>(t));
        for (int round = 0; round < 40; ++round) {
          for (std::size_t file = t; file < texts.size(); file += threads) {
            Bytes piece(random() % (file % 5 == 0 ? 9000 : 700));
            for (std::byte& byte : piece) byte = static_cast<std::byte>(random());
            texts[file].insert(texts[file].end(), piece.begin(), piece.end());
            queue.add(file, std::move(piece));
          }
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
  }

  static std::string digest(const HashQueue& queue, std::size_t file) {
    return base::to_hex(base::Sha256::from_state(queue.state(file)).digest());
  }

  const base::Sha256Lanes lanes_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Paths, HashQueueTest, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(HashQueueTest, HashesEveryFileInOrder) {
  for (const std::size_t files : {1U, 7U, 8U, 16U, 53U}) {
    for (const std::uint64_t most_bytes : {1U, 20'000U, 1U << 30}) {
      HashQueue queue(files, most_bytes, lanes_);
      std::vector<Bytes> texts;
      fill(queue, files, 3, texts);
      queue.finish();
      for (std::size_t i = 0; i < files; ++i)
        EXPECT_EQ(digest(queue, i), base::sha256_hex(texts[i])) << files << " files, " << most_bytes;
    }
  }
}

TEST_P(HashQueueTest, GoesOnAfterFinishAndFromAState) {
  constexpr std::size_t kFiles = 20;
  HashQueue first(kFiles, 5000, lanes_);
  std::vector<Bytes> texts;
  fill(first, kFiles, 2, texts);
  first.finish();
  HashQueue second(kFiles, 5000, lanes_);
  for (std::size_t i = 0; i < kFiles; ++i) second.restore(i, first.state(i));
  fill(first, kFiles, 2, texts);
  first.finish();
  std::vector<Bytes> again(kFiles);
  fill(second, kFiles, 2, again);
  second.finish();
  for (std::size_t i = 0; i < kFiles; ++i) {
    EXPECT_EQ(digest(first, i), base::sha256_hex(texts[i]));
    EXPECT_EQ(second.state(i), first.state(i));
  }
}

}  // namespace
}  // namespace shardmill::pipeline
