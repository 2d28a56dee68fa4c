#include "base/remote/listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shardmill/error.hpp"

namespace shardmill::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Listing, FindsElementsInTheirOrder) {
  EXPECT_THAT(elements("<L><Part><N>1</N></Part><Part></Part></L>", "Part"), ElementsAre("<N>1</N>", ""));
  EXPECT_THAT(elements("<Parts><Part>cut", "Part"), IsEmpty());
  EXPECT_THAT(elements("", "Part"), IsEmpty());
}

TEST(Listing, DecodesKeysOnce) {
  EXPECT_EQ(key_in_list("<EncodingType>url</EncodingType>", "a+b%2Bc%2520d/%E4%BD%A0"), "a b+c%20d/你");
  EXPECT_EQ(key_in_list("", "a+b%2B"), "a+b%2B");
}

TEST(Listing, APageThatGoesOnNamesTheNext) {
  const BucketKey place{.bucket = "b", .key = "k"};
  EXPECT_TRUE(list_goes_on("<IsTruncated>true</IsTruncated>", place, true));
  EXPECT_FALSE(list_goes_on("<IsTruncated>false</IsTruncated>", place, true));
  EXPECT_THROW(list_goes_on("<IsTruncated>true</IsTruncated>", place, false), Error);
}

}  // namespace
}  // namespace shardmill::base
