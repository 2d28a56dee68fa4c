#include "codec/pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Counts the objects that are there.
struct Counted {
  static inline int alive = 0;
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

/// However many were lent at a time, no more than 64 stay when they come back.
TEST(Pool, KeepsNoMoreThanItsBound) {
  constexpr int kMostIdle = 64;
  auto pool = Pool<Counted>::make();
  for (const int lent : {kMostIdle - 1, kMostIdle, kMostIdle + 1, 3 * kMostIdle}) {
    std::vector<Pool<Counted>::Pointer> objects;
    for (int i = 0; i < lent; ++i) objects.push_back(pool->take());
    EXPECT_EQ(Counted::alive, lent);
    objects.clear();
    EXPECT_EQ(Counted::alive, std::min(lent, kMostIdle));
  }
  // All of these are lent again before a new one is made.
  std::vector<Pool<Counted>::Pointer> objects;
  for (int i = 0; i < kMostIdle; ++i) objects.push_back(pool->take());
  EXPECT_EQ(Counted::alive, kMostIdle);
  objects.push_back(pool->take());
  EXPECT_EQ(Counted::alive, kMostIdle + 1);
  objects.clear();
  pool.reset();
  EXPECT_EQ(Counted::alive, 0);
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
