#include "base/system/freed_memory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstdlib>

namespace shardmill::base {
namespace {

[[maybe_unused]] void* touched(std::size_t bytes) {
  auto* const block = static_cast<volatile char*>(std::malloc(bytes));
  block[0] = 1;
  return const_cast<char*>(block);
}

TEST(FreedMemory, LargeBlocksGoBackToTheSystem) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "another allocator";
#else
  give_back_freed_memory();
  std::free(touched(std::size_t{24} << 20));  // after this, glibc would keep smaller blocks
  const auto before = mallinfo2();
  // The first ones may still find room that other tests have freed.
  std::array<void*, 64> blocks{};
  for (void*& block : blocks) block = touched(std::size_t{8} << 20);
  EXPECT_GT(mallinfo2().hblks, before.hblks);
  for (void* const block : blocks) std::free(block);
  EXPECT_EQ(mallinfo2().hblkhd, before.hblkhd);
#endif
}

}  // namespace
}  // namespace shardmill::base
