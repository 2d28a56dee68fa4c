#include "pipeline/placing/hash_queue.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace shardmill::pipeline {

namespace {

// An empty lane costs as much as a busy one. When many are empty, it is better to stop and wait for more
// bytes.
std::size_t busy_lanes(std::size_t files) {
  return std::max(base::kFewestSha256Lanes, std::min(files, base::kSha256Lanes) * 7 / 8);
}

base::Sha256Feed feed_of(base::Sha256& hash, const auto& waiting) {
  base::Sha256Feed feed{.stream = &hash, .pieces = {waiting.pieces.begin(), waiting.pieces.end()}};
  feed.pieces.front() = feed.pieces.front().subspan(waiting.front_offset);
  return feed;
}

// Removes the bytes that have been hashed.
void keep_rest(const base::Sha256Feed& feed, auto& waiting) {
  std::vector<Bytes>& pieces = waiting.pieces;
  pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(feed.next));
  waiting.front_offset = pieces.empty() ? 0 : pieces.front().size() - feed.pieces[feed.next].size();
  waiting.bytes = 0;
  for (std::size_t i = feed.next; i < feed.pieces.size(); ++i) waiting.bytes += feed.pieces[i].size();
}

}  // namespace

// This is no run_ordered(): whoever adds bytes goes on at once, and how many files wait decides what is
// hashed next. Only the bytes of one file have an order, and they keep it.
HashQueue::HashQueue(std::size_t files, std::uint64_t most_bytes, base::Sha256Lanes lanes)
    : most_bytes_(most_bytes), lanes_(lanes), files_(files) {}

void HashQueue::restore(std::size_t file, const base::Sha256::State& state) {
  files_[file].hash = base::Sha256::from_state(state);
}

void HashQueue::add(std::size_t index, Bytes&& bytes) {
  File& file = files_[index];
  if (!lanes_.pays(files_.size())) return file.hash.update(bytes);
  std::unique_lock lock(mutex_);
  try {
    put(file, std::move(bytes));
    hash_in_time(lock);
  } catch (...) {  // out of memory: other threads must not wait for claims that are never given back
    if (!lock.owns_lock()) lock.lock();
    has_failed_ = true;
    given_back_.notify_all();
    throw;
  }
}

void HashQueue::put(File& file, Bytes&& bytes) {
  waiting_bytes_ += bytes.size();
  if (file.waiting.pieces.empty() && !file.is_claimed) ++ready_files_;
  file.waiting.bytes += bytes.size();
  file.waiting.pieces.push_back(std::move(bytes));
}

void HashQueue::hash_in_time(std::unique_lock<std::mutex>& lock) {
  while (is_time()) {
    const bool whole = waiting_bytes_ >= most_bytes_;
    std::vector<Claim> claims = claim(most_bytes_ / 4);
    if (claims.empty()) {  // other threads have claimed all files
      given_back_.wait(lock);
      continue;
    }
    lock.unlock();
    hash(claims, whole || !lanes_.pays(claims.size()));
    lock.lock();
    give_back(claims);
    return;
  }
}

bool HashQueue::is_time() const {
  if (has_failed_ || waiting_bytes_ < most_bytes_ / 4) return false;
  return ready_files_ >= busy_lanes(files_.size()) || waiting_bytes_ >= most_bytes_;
}

// Claims files with about this many bytes in all, but at least as many files as there are lanes. Other
// threads can claim the rest.
std::vector<HashQueue::Claim> HashQueue::claim(std::uint64_t most_bytes) {
  std::vector<Claim> claims;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (ready_files_ == 0 || (bytes >= most_bytes && claims.size() >= base::kSha256Lanes)) break;
    File& file = files_[next_file_];
    next_file_ = (next_file_ + 1) % files_.size();
    if (file.is_claimed || file.waiting.pieces.empty()) continue;
    bytes += file.waiting.bytes;
    claims.push_back({.file = &file, .waiting = std::exchange(file.waiting, {})});
    file.is_claimed = true;
    --ready_files_;
  }
  waiting_bytes_ -= bytes;
  return claims;
}

// Hashes all claimed bytes if `whole`. Otherwise it stops when too few lanes are busy. The claims then keep
// their last bytes, which are hashed later, together with more.
void HashQueue::hash(std::vector<Claim>& claims, bool whole) const {
  std::ranges::stable_sort(claims, std::greater{}, [](const Claim& claim) { return claim.waiting.bytes; });
  std::vector<base::Sha256Feed> feeds;
  for (const Claim& claim : claims) feeds.push_back(feed_of(claim.file->hash, claim.waiting));
  lanes_.update(feeds, whole ? base::kFewestSha256Lanes : busy_lanes(claims.size()));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (whole) feeds[i].finish();
    keep_rest(feeds[i], claims[i].waiting);
  }
}

// Puts back the bytes that were not hashed, before those that came meanwhile.
void HashQueue::give_back(std::vector<Claim>& claims) {
  for (Claim& claim : claims) {
    File& file = *claim.file;
    Waiting& rest = claim.waiting;
    waiting_bytes_ += rest.bytes;
    rest.bytes += file.waiting.bytes;
    std::ranges::move(file.waiting.pieces, std::back_inserter(rest.pieces));
    file.waiting = std::move(rest);
    file.is_claimed = false;
    if (!file.waiting.pieces.empty()) ++ready_files_;
  }
  given_back_.notify_all();
}

void HashQueue::finish() {
  std::vector<Claim> claims = claim(~std::uint64_t{0});
  hash(claims, true);
  give_back(claims);
}

}  // namespace shardmill::pipeline
