#include "repair/wanted_checksum.hpp"

#include <gtest/gtest.h>

#include <string>

namespace shardmill::repair {
namespace {

const std::string kOne(64, '1');
const std::string kTwo(64, '2');

std::string damaged(std::string checksum, std::size_t digits) {
  return checksum.replace(0, digits, digits, 'f');
}

TEST(WantedChecksum, IsUnknownWhereNothingIsTold) {
  EXPECT_EQ(wanted_checksum({}, kOne), std::nullopt);
}

TEST(WantedChecksum, IsTheFirstThatIsToldOfALostOrDamagedFile) {
  EXPECT_EQ(wanted_checksum({kOne}, ""), kOne);
  EXPECT_EQ(wanted_checksum({kOne, kTwo}, std::string(64, '3')), kOne);
}

TEST(WantedChecksum, IsThatOfTheFileWhereAnyRecordAgrees) {
  EXPECT_EQ(wanted_checksum({kOne}, kOne), kOne);
  EXPECT_EQ(wanted_checksum({kOne, kTwo}, kTwo), kTwo);
}

TEST(WantedChecksum, SeesThroughAFewDamagedDigitsOfARecord) {
  EXPECT_EQ(wanted_checksum({damaged(kOne, 16)}, kOne), kOne);
  EXPECT_EQ(wanted_checksum({damaged(kOne, 17)}, kOne), damaged(kOne, 17));
  EXPECT_EQ(wanted_checksum({damaged(kOne, 3), kOne}, ""), kOne);
}

}  // namespace
}  // namespace shardmill::repair
