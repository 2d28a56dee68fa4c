#include <gtest/gtest.h>

#include "codec/bzip2/mtf/mtf_oracle.hpp"

namespace shardmill::codec {
namespace {

TEST(MtfPortableTest, SizesNearItsStepsAreAsByTheBook) {
  testing::expect_by_the_book(undo_move_to_front_portable, 16);
}

TEST(MtfPortableTest, ClosesTheGapWhereverTheSymbolStood) {
  testing::expect_every_place_closes(undo_move_to_front_portable);
}

}  // namespace
}  // namespace shardmill::codec
