// ByteBudget: counts the bytes in flight, and compares them with the bound that the user gave.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace shardmill::pipeline {

/// It never blocks: whoever finds it full takes in no more until the work in flight is done. Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t bound_bytes) : bound_bytes_(bound_bytes) {}
  /// Ends the program when something is still in flight, because a share that is lost is a bug.
  ~ByteBudget() {
    if (used_bytes_ != 0) std::abort();
  }
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  /// True also when nothing is in flight, however large `bytes` is: there is always room for one item.
  bool has_room(std::uint64_t bytes) const noexcept {
    const std::uint64_t used = used_bytes_;
    return used == 0 || used + bytes <= bound_bytes_;
  }
  std::uint64_t used_bytes() const noexcept { return used_bytes_; }
  void add(std::uint64_t bytes) noexcept { used_bytes_ += bytes; }
  void remove(std::uint64_t bytes) noexcept { used_bytes_ -= bytes; }

 private:
  std::uint64_t bound_bytes_;
  std::atomic<std::uint64_t> used_bytes_{0};
};

/// A share of the budget that gives itself back.
class BudgetShare {
 public:
  BudgetShare() = default;
  BudgetShare(ByteBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {
    budget.add(bytes);
  }
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  ~BudgetShare() {
    if (budget_ != nullptr) budget_->remove(bytes_);
  }

  /// Splits off up to `bytes` as a share of its own, which may outlive this one.
  BudgetShare split(std::uint64_t bytes) noexcept {
    BudgetShare part;
    part.budget_ = budget_;
    part.bytes_ = std::min(bytes, bytes_);
    bytes_ -= part.bytes_;
    return part;
  }

  BudgetShare split_all() noexcept { return split(bytes_); }

  /// Whether the budget has room for `bytes` more.
  bool has_room(std::uint64_t bytes) const noexcept { return budget_ == nullptr || budget_->has_room(bytes); }

  /// Changes the share to the size that the item turned out to have.
  void resize(std::uint64_t bytes) {
    budget_->add(bytes);
    budget_->remove(bytes_);
    bytes_ = bytes;
  }

 private:
  ByteBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace shardmill::pipeline
