#include "pipeline/spool_set.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

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

}  // namespace shardmill::pipeline
