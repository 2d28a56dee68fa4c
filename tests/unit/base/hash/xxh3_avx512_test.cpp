#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/hash/xxh3.hpp"
#include "base/system/vector_path.hpp"

namespace shardmill::base {
namespace {

#if defined(__x86_64__)
TEST(Xxh3Avx512, IsThatOfTheLibraryAtEveryLengthAndPlace) {
  const auto paths = available_vector_paths();
  if (std::find(paths.begin(), paths.end(), VectorPath::avx512) == paths.end())
    GTEST_SKIP() << "this CPU has no AVX-512";
  std::mt19937 random(1);
  std::vector<std::byte> bytes(300'000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  const auto expect_same = [&](std::size_t begin, std::size_t size) {
    const auto span = std::span(bytes).subspan(begin, size);
    const XXH128_hash_t library = XXH3_128bits(span.data(), span.size());
    const Xxh3Value ours = xxh3_avx512(span);
    ASSERT_EQ(ours.high, library.high64) << begin << " " << size;
    ASSERT_EQ(ours.low, library.low64) << begin << " " << size;
  };
  for (std::size_t size = 0; size < 3000; ++size) expect_same(size % 65, size);
  for (int round = 0; round < 200; ++round) expect_same(random() % 1000, random() % 299'000);
}
#endif

}  // namespace
}  // namespace shardmill::base
