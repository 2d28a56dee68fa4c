#include "codec/pool.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace shardmill::codec {
namespace {

struct Number {
  int value = 0;
};
struct Other {
  int value = 0;
};

TEST(Pool, LendsAgainWhatWasReturned) {
  const auto pool = Pool<Number>::make();
  const Number* first = nullptr;
  {
    const auto number = pool->take();
    number->value = 7;
    first = number.get();
  }
  const auto again = pool->take();
  EXPECT_EQ(again.get(), first);
  EXPECT_EQ(again->value, 7);
  EXPECT_NE(pool->take().get(), first);
}

TEST(Pool, IsOneForAllThatAreOpenAtATime) {
  std::weak_ptr<Pool<Number>> gone;
  {
    const auto pool = Pool<Number>::common();
    EXPECT_EQ(Pool<Number>::common(), pool);
    gone = pool;
  }
  EXPECT_TRUE(gone.expired());
}

TEST(Pool, LivesAsLongAsItsObjects) {
  auto pool = Pool<Other>::common();
  auto object = pool->take();
  pool.reset();
  object->value = 1;
  EXPECT_NE(Pool<Other>::common(), nullptr);
  object.reset();
}

TEST(Pool, LendsAnObjectToOneThreadAtATime) {
  const auto pool = Pool<Number>::make();
  std::vector<std::jthread> threads;
  for (int thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&pool, thread] {
      for (int round = 0; round < 20'000; ++round) {
        const auto number = pool->take();
        number->value = thread;
        ASSERT_EQ(number->value, thread);
      }
    });
  }
}

}  // namespace
}  // namespace shardmill::codec
