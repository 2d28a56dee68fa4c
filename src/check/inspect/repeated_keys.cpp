#include "check/inspect/repeated_keys.hpp"

#include <utility>

namespace shardmill::check {

ShardKeys::Repeat ShardKeys::add(const Sample& sample) {
  bool all_members_new = true;
  for (const Member& member : sample.members) {
    all_members_new &= seen_members_.insert(sample.key + '.' + member.extension);
  }
  if (!seen_keys_.insert(sample.key)) return all_members_new ? Repeat::apart : Repeat::again;
  keys_ += sample.key;
  keys_ += '\0';
  return Repeat::none;
}

void KeyLedger::hand_in(std::size_t shard, std::string keys) {
  const std::lock_guard lock(mutex_);
  waiting_[shard] = std::move(keys);
  for (; next_ < waiting_.size() && waiting_[next_]; ++next_) {
    settle(next_, *waiting_[next_]);
    waiting_[next_]->clear();
    waiting_[next_]->shrink_to_fit();
  }
}

void KeyLedger::settle(std::size_t shard, std::string_view keys) {
  while (!keys.empty()) {
    const std::string_view key = keys.substr(0, keys.find('\0'));
    if (!seen_.insert(key)) on_duplicate_(shard, key);
    keys.remove_prefix(key.size() + 1);
  }
}

}  // namespace shardmill::check
