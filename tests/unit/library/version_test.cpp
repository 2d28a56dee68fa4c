#include "shardmill/version.hpp"

#include <gtest/gtest.h>

#include "base/version.hpp"

namespace shardmill {
namespace {

TEST(LibraryVersion, IsThatOfTheProgram) {
  EXPECT_EQ(version(), base::version());
}

}  // namespace
}  // namespace shardmill
