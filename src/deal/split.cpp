#include "deal/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/units.hpp"

namespace shardmill::deal {

namespace {

std::string text_of(Duration duration) {
  return base::format_audio(std::chrono::duration<double>(duration).count());
}

/// A group that is not chosen yet.
struct Free {
  SplitChooser::Group group;
  Duration duration;
};

/// Takes groups in their order as long as they fit, and one more if that comes closer. Returns the sum.
Duration fill(std::vector<Free>& free, Duration wanted, std::uint32_t split,
              std::map<SplitChooser::Group, std::uint32_t>& split_of) {
  Duration sum{};
  std::vector<Free> others;
  for (const Free& each : free) {
    if (sum + each.duration <= wanted) {
      sum += each.duration;
      split_of[each.group] = split;
    } else {
      others.push_back(each);
    }
  }
  const auto least = std::min_element(others.begin(), others.end(),
                                      [](const Free& a, const Free& b) { return a.duration < b.duration; });
  if (least != others.end() && (sum == Duration{} || sum + least->duration - wanted < wanted - sum)) {
    sum += least->duration;
    split_of[least->group] = split;
    others.erase(least);
  }
  free = std::move(others);
  return sum;
}

}  // namespace

Duration SplitWish::total() const {
  Duration total{};
  for (const auto& [name, amount] : amounts) total += amount;
  return total;
}

SplitChooser::SplitChooser(const SplitWish& wish) : needed_(2 * wish.total()) {
  constexpr std::int64_t kFewestGroups = 4;  // for each split, twice over
  Duration least = Duration::max();
  for (const auto& [name, amount] : wish.amounts) {
    wanted_.push_back(amount);
    least = std::min(least, amount);
  }
  most_ = std::max(Duration(1), least / kFewestGroups);
}

Duration SplitChooser::worth(Duration duration) const {
  return std::min(duration, most_);
}

bool SplitChooser::add(const Group& group, Duration duration) {
  if (state_.has_limit && !(group < state_.limit)) {
    state_.passed += duration;
    return false;
  }
  Duration& total = state_.kept[group];
  worth_ -= worth(total);
  total += duration;
  worth_ += worth(total);
  drop_needless();
  return !state_.has_limit || group < state_.limit;
}

// What is kept only grows in worth, so a group that is dropped is never missed later.
void SplitChooser::drop_needless() {
  while (!state_.kept.empty()) {
    const auto last = std::prev(state_.kept.end());
    if (worth_ - worth(last->second) < needed_) return;
    state_.has_limit = true;
    state_.limit = last->first;
    state_.passed += last->second;
    worth_ -= worth(last->second);
    state_.kept.erase(last);
  }
}

SplitChooser::Choice SplitChooser::choose() const {
  std::vector<Free> free;
  Duration all = state_.passed;
  for (const auto& [group, duration] : state_.kept) {
    free.push_back({.group = group, .duration = duration});
    all += duration;
  }
  Duration wanted{};
  for (const Duration amount : wanted_) wanted += amount;
  if (all <= wanted)
    throw SplitError(
        fmt::format("the sources hold {} of audio, and the splits were to get {}, with something left "
                    "to train on",
                    text_of(all), text_of(wanted)),
        {}, "ask for less");
  Choice choice{.split_of = {}, .durations = {}, .rest = all};
  for (std::uint32_t split = 0; split < wanted_.size(); ++split) {
    if (free.empty())
      throw SplitError("there are fewer speakers than splits: each split needs at least one", {},
                       "ask for fewer splits");
    choice.durations.push_back(fill(free, wanted_[split], split, choice.split_of));
    choice.rest -= choice.durations.back();
  }
  if (free.empty() && state_.passed == Duration{})
    throw SplitError(
        fmt::format("nothing would be left to train on: the sources hold {} of {}, and the splits take "
                    "all of them",
                    text_of(all), base::format_count(state_.kept.size(), "speaker")),
        {}, "ask for less");
  return choice;
}

void SplitChooser::restore(State state) {
  state_ = std::move(state);
  worth_ = {};
  for (const auto& [group, duration] : state_.kept) worth_ += worth(duration);
}

}  // namespace shardmill::deal
