#if defined(__x86_64__)

#include <gtest/gtest.h>

#include "codec/bzip2/mtf/mtf_oracle.hpp"
#include "support/vector_path.hpp"

namespace shardmill::codec {
namespace {

TEST(MtfAvx2Test, SizesNearItsStepsAreAsByTheBook) {
  if (!shardmill::testing::can_run(base::VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  testing::expect_by_the_book(undo_move_to_front_avx2, 32);
}

TEST(MtfAvx2Test, ClosesTheGapWhereverTheSymbolStood) {
  if (!shardmill::testing::can_run(base::VectorPath::avx2)) GTEST_SKIP() << "this CPU has no avx2";
  testing::expect_every_place_closes(undo_move_to_front_avx2);
}

}  // namespace
}  // namespace shardmill::codec

#endif
