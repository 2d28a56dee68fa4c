#include "pipeline/spool_set.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::uint64_t kFilesForOthers = 192;
constexpr std::size_t kLinesBufferBytes = 8 << 10;
// So many files are synced one by one. For more, one sync of the whole filesystem costs less.
constexpr std::size_t kSyncEachLimit = 32;

// Room for some samples of each of many shards. It is small compared with the bytes in flight, and not
// counted among them.
std::uint64_t unhashed_bytes(std::uint64_t memory_bytes) {
  return std::clamp<std::uint64_t>(memory_bytes / 32, 4 << 20, 16 << 20);
}

void sync_filesystem(const std::string& folder) {
  const base::File handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
  if (!handle.is_open() || ::syncfs(handle.descriptor()) != 0) throw system_error("cannot sync", folder);
}

}  // namespace

std::uint64_t raise_open_file_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  if (limit.rlim_cur < limit.rlim_max) {
    struct rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur;
}

SpoolSet::SpoolSet(std::string folder, std::uint32_t shards, bool hash_tars, Workers& workers)
    : folder_(std::move(folder)),
      hash_tars_(hash_tars),
      workers_(workers),
      keep_open_(shards + kFilesForOthers <= raise_open_file_limit()),
      hashes_(shards, unhashed_bytes(workers.memory_bytes())) {
  shards_.reserve(shards);
  for (std::uint32_t i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>());
}

SpoolSet::~SpoolSet() = default;

std::string SpoolSet::tar_path(std::uint32_t shard) const {
  return spooled_tar_path(folder_, shard);
}

std::string spooled_tar_path(const std::string& folder, std::uint32_t shard) {
  return fmt::format("{}/{:09}.tar", folder, shard);
}

std::string spooled_manifest_path(const std::string& folder, std::uint32_t shard) {
  return fmt::format("{}/{:09}.json", folder, shard);
}

std::string SpoolSet::manifest_path(std::uint32_t shard) const {
  return spooled_manifest_path(folder_, shard);
}

bool SpoolSet::is_packed(std::uint32_t shard) const {
  return base::exists(packed_path(shard)) && !base::exists(tar_path(shard));
}

std::uint64_t SpoolSet::reserve(std::uint32_t shard, std::uint64_t bytes) {
  std::uint64_t& reserved = shards_[shard]->reserved_bytes;
  const std::uint64_t offset = reserved;
  reserved += bytes;
  return offset;
}

void SpoolSet::skip(std::uint32_t shard, std::uint64_t bytes) {
  shards_[shard]->reserved_bytes += bytes;
  shards_[shard]->ordered_bytes += bytes;
}

void SpoolSet::append(std::uint32_t shard, std::uint64_t offset, Bytes&& packed, std::string&& line,
                      BudgetShare&& share) {
  write_tar(shard, offset, packed);
  Shard& target = *shards_[shard];
  {
    const std::lock_guard lock(target.mutex);
    target.pending.emplace(
        offset, Pending{.packed = std::move(packed), .line = std::move(line), .share = std::move(share)});
    if (target.draining) return;
    target.draining = true;
  }
  drain(shard);
}

// Not with O_DIRECT, which takes whole blocks in order from each shard: that cost a tenth less CPU time, and
// a third more time in all, because nobody else writes to the disk while the next samples are cut.
void SpoolSet::write_tar(std::uint32_t shard, std::uint64_t offset, const Bytes& packed) {
  Shard& target = *shards_[shard];
  if (!keep_open_) {
    base::File tar = base::File::open_update(tar_path(shard));
    tar.write_at(packed, offset);
    tar.close();
    return;
  }
  {
    const std::lock_guard lock(target.mutex);
    if (!target.tar.is_open()) target.tar = base::File::open_update(tar_path(shard));
  }
  target.tar.write_at(packed, offset);
}

// One thread at a time handles the samples that are next in order; the other threads leave theirs there and
// go on. This is no run_ordered(): there is no source to stop, each shard has its own order, and this is
// itself the last stage of a run_ordered().
void SpoolSet::drain(std::uint32_t shard) {
  Shard& target = *shards_[shard];
  std::unique_lock lock(target.mutex);
  for (auto next = target.pending.find(target.ordered_bytes); next != target.pending.end();
       next = target.pending.find(target.ordered_bytes)) {
    Pending entry = std::move(next->second);
    target.pending.erase(next);
    lock.unlock();
    const std::uint64_t bytes = entry.packed.size();
    target.tar_check.update(entry.packed);
    if (hash_tars_) hashes_.add(shard, std::move(entry.packed));
    target.lines += entry.line;
    if (target.lines.size() >= kLinesBufferBytes) write_lines(shard);
    lock.lock();
    target.ordered_bytes += bytes;
    start_writeback(target);
  }
  target.draining = false;
}

// The disk should work while we work, so that little is left for the sync at the end.
void SpoolSet::start_writeback(Shard& shard) {
  constexpr std::uint64_t kStepBytes = 1 << 20;
  if (!shard.tar.is_open() || shard.ordered_bytes - shard.writeback_bytes < kStepBytes) return;
  shard.tar.start_writeback(shard.writeback_bytes, shard.ordered_bytes - shard.writeback_bytes);
  shard.writeback_bytes = shard.ordered_bytes;
}

void SpoolSet::write_lines(std::uint32_t shard) {
  Shard& target = *shards_[shard];
  if (target.lines.empty()) return;
  base::File manifest = base::File::open_update(manifest_path(shard));
  manifest.write_at(base::as_bytes(target.lines), target.manifest_bytes);
  manifest.close();
  target.manifest_check.update(target.lines);
  target.manifest_bytes += target.lines.size();
  target.lines.clear();
}

void SpoolSet::sync() {
  hashes_.finish();
  for (std::uint32_t i = 0; i < size(); ++i) write_lines(i);
  if (size() > kSyncEachLimit) {
    sync_filesystem(folder_);
    return;
  }
  workers_.for_each(size(), [this](std::size_t i) { sync_files(static_cast<std::uint32_t>(i)); });
  base::sync_folder(folder_);
}

void SpoolSet::sync_files(std::uint32_t shard) {
  for (const std::string& path : {tar_path(shard), manifest_path(shard)}) {
    if (!base::exists(path)) continue;  // nothing dealt to this shard yet
    base::File file = base::File::open_update(path);
    file.sync();
    file.close();
  }
}

std::vector<SpoolState> SpoolSet::states() const {
  std::vector<SpoolState> states;
  states.reserve(shards_.size());
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const Shard& shard = *shards_[i];
    states.push_back({.tar_bytes = shard.ordered_bytes,
                      .manifest_bytes = shard.manifest_bytes,
                      .tar_hash = hashes_.state(i),
                      .is_hashed = shard.is_hashed,
                      .tar_check = shard.tar_check.digest(),
                      .manifest_check = shard.manifest_check.digest()});
  }
  return states;
}

void SpoolSet::restore(const std::vector<SpoolState>& states, const std::function<void()>& between_steps) {
  workers_.for_each(
      size(), [&](std::size_t i) { restore_one(static_cast<std::uint32_t>(i), states[i], between_steps); });
}

void SpoolSet::restore_one(std::uint32_t shard, const SpoolState& state,
                           const std::function<void()>& between_steps) {
  const auto cut = [&](const std::string& path, const FileMark& mark) {
    base::RunningHash hash = check_file(path, mark, between_steps);
    base::File file = base::File::open_update(path);
    file.truncate(mark.bytes);
    file.close();
    return hash;
  };
  Shard& target = *shards_[shard];
  if (!is_packed(shard)) target.tar_check = cut(tar_path(shard), state.tar_mark());
  target.manifest_check = cut(manifest_path(shard), state.manifest_mark());
  target.reserved_bytes = target.ordered_bytes = target.writeback_bytes = state.tar_bytes;
  target.manifest_bytes = state.manifest_bytes;
  hashes_.restore(shard, state.tar_hash);
  target.is_hashed = state.is_hashed;
}

namespace {

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
  return ready_files_ >= lanes_.busy(files_.size()) || waiting_bytes_ >= most_bytes_;
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
  lanes_.update(feeds, whole ? 0 : lanes_.busy(claims.size()));
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
