#if defined(__x86_64__)

#include <gtest/gtest.h>

#include "codec/bzip2/mtf/mtf_oracle.hpp"
#include "support/vector_path.hpp"

namespace shardmill::codec {
namespace {

TEST(MtfSsse3Test, SizesNearItsStepsAreAsByTheBook) {
  if (!shardmill::testing::can_run(base::VectorPath::ssse3)) GTEST_SKIP() << "this CPU has no ssse3";
  testing::expect_by_the_book(undo_move_to_front_ssse3, 16);
}

TEST(MtfSsse3Test, ClosesTheGapWhereverTheSymbolStood) {
  if (!shardmill::testing::can_run(base::VectorPath::ssse3)) GTEST_SKIP() << "this CPU has no ssse3";
  testing::expect_every_place_closes(undo_move_to_front_ssse3);
}

}  // namespace
}  // namespace shardmill::codec

#endif
