#include "source/unusable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Promise promise(const std::string& dataset, const std::vector<std::string>& keys) {
  return {.dataset = dataset, .rest = [keys](const LoseUtterance& lose) {
            for (const std::string& key : keys) lose({.key = key, .error = Error("is gone")});
          }};
}

std::vector<std::string> broken(const Promises& promises) {
  std::vector<std::string> found;
  promises.for_each_broken(
      [&](const Unusable& one) { found.push_back(one.dataset + " " + one.key + " " + one.error.problem()); });
  return found;
}

TEST(PromisesTest, ThoseThatNobodyMet) {
  const std::vector<Promise> all{promise("x", {"c", "a"}), promise("y", {"b"})};
  Promises promises(all);
  EXPECT_THAT(broken(promises), ElementsAre("x c is gone", "x a is gone", "y b is gone"));
  promises.meet("b");
  promises.meet("bb");
  promises.meet("");
  EXPECT_THAT(broken(promises), ElementsAre("x c is gone", "x a is gone"));
  promises.meet("a");
  promises.meet("c");
  EXPECT_THAT(broken(promises), IsEmpty());
}

TEST(PromisesTest, None) {
  const std::vector<Promise> none;
  Promises promises(none);
  promises.meet("a");
  EXPECT_THAT(broken(promises), IsEmpty());
}

}  // namespace
}  // namespace shardmill::source
