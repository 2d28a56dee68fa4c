// InFlight: owns what a pipeline passes from stage to stage, since oneTBB forgets it when an error ends the
// pipeline.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace shardmill::pipeline {

/// What is still in it when it goes is freed then. Thread-safe.
template <typename Item>
class InFlight {
 public:
  Item* add(std::shared_ptr<Item> item) {
    Item* const address = item.get();
    const std::lock_guard lock(mutex_);
    items_.emplace(address, std::move(item));
    return address;
  }
  void remove(Item* item) {
    std::shared_ptr<Item> last;  // freed behind the lock
    const std::lock_guard lock(mutex_);
    const auto found = items_.find(item);
    last = std::move(found->second);
    items_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Item*, std::shared_ptr<Item>> items_;
};

}  // namespace shardmill::pipeline
