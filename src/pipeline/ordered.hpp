// run_ordered: a pipeline with a source, with stages that run on all threads or in the order of the source,
// and with a bound on the bytes in flight.
//
//   run_ordered<Item>({.items = 10, .budget = budget}, workers,
//                     [&]() -> std::optional<Costly<Item>> { ... },  // serial; nullopt ends the run
//                     on_all_threads([&](Item& item) { ... }),
//                     in_order([&](Item& item, BudgetShare& share) { ... }));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/byte_budget.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// An item, and how many bytes of the budget it takes at first.
template <typename Item>
struct Costly {
  Item item;
  std::uint64_t bytes = 0;
};

/// How much may be in flight at a time.
struct InFlightBounds {
  std::size_t items = 1;
  ByteBudget& budget;
};

template <typename Work>
struct Stage {
  bool in_order;
  Work work;
};

/// A stage that several threads work in at a time.
template <typename Work>
Stage<Work> on_all_threads(Work work) {
  return {.in_order = false, .work = std::move(work)};
}
/// A stage that takes the items one at a time, in the order of the source.
template <typename Work>
Stage<Work> in_order(Work work) {
  return {.in_order = true, .work = std::move(work)};
}

/// The same for items of any type, which the caller keeps. `take` gives null when no item can be let in.
using AnyStage = Stage<std::function<void(void*)>>;
void run_stages(std::size_t items, Workers& workers, const std::function<void*()>& take,
                const std::vector<AnyStage>& stages);

/// Owns the items between the stages, because oneTBB forgets them when an error ends a pipeline. It frees the
/// items that are left then, and gives back their shares of the budget.
template <typename Item>
class ItemsInFlight {
 public:
  struct Token {
    Item item;
    BudgetShare share;
    typename std::list<Token>::iterator self{};
  };

  Token* add(Costly<Item>&& costly, ByteBudget& budget) {
    std::list<Token> one;
    one.push_back({.item = std::move(costly.item), .share = BudgetShare(budget, costly.bytes)});
    one.back().self = one.begin();
    const std::lock_guard lock(mutex_);
    tokens_.splice(tokens_.end(), one);
    return &tokens_.back();
  }
  bool empty() {
    const std::lock_guard lock(mutex_);
    return tokens_.empty();
  }
  void remove(Token* token) {
    std::list<Token> last;  // freed after the lock
    const std::lock_guard lock(mutex_);
    last.splice(last.end(), tokens_, token->self);
  }

 private:
  std::mutex mutex_;
  std::list<Token> tokens_;
};

/// Calls `source` until it gives nothing, and passes each item through the stages. An item is let in when the
/// budget has room for it, or when no other item is in flight. A stage is called with the item, or with the
/// item and its share of the budget, which it may split or resize. Returns when every item has passed all
/// stages. Throws the first exception of a stage or of the source, and frees the items in flight.
template <typename Item, typename Source, typename... Works>
void run_ordered(const InFlightBounds& bounds, Workers& workers, Source source, Stage<Works>... stages) {
  using Token = typename ItemsInFlight<Item>::Token;
  ItemsInFlight<Item> in_flight;
  std::optional<Costly<Item>> waiting;  // until there is room for it
  bool at_end = false;
  const auto take = [&]() -> void* {
    if (!waiting && !at_end) {
      waiting = source();
      at_end = !waiting;
    }
    // A pipeline cannot wait, so it runs empty and begins again.
    if (!waiting) return nullptr;
    if (!bounds.budget.has_room(waiting->bytes) && !in_flight.empty()) return nullptr;
    Token* const token = in_flight.add(std::move(*waiting), bounds.budget);
    waiting.reset();
    return token;
  };
  const auto any = [](auto& stage) -> AnyStage {
    return {.in_order = stage.in_order, .work = [&work = stage.work](void* address) {
              auto& [item, share, self] = *static_cast<Token*>(address);
              if constexpr (std::is_invocable_v<decltype(work), Item&, BudgetShare&>) {
                work(item, share);
              } else {
                work(item);
              }
            }};
  };
  const auto remove = [&](void* address) { in_flight.remove(static_cast<Token*>(address)); };
  const std::vector<AnyStage> all{any(stages)..., {.in_order = false, .work = remove}};
  while (!at_end || waiting) run_stages(bounds.items, workers, take, all);
}

}  // namespace shardmill::pipeline
