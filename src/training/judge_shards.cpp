#include <fmt/format.h>

#include <algorithm>

#include "base/speed.hpp"
#include "base/text/units.hpp"
#include "training/judge.hpp"

namespace shardmill::training {

namespace {

bool is_any_of(std::string_view kind, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), kind) != names.end();
}

void judge_filesystem(const ShardsFacts& shards, Remarks& remarks) {
  const std::string& kind = shards.filesystem.mount.kind;
  if (is_any_of(kind, {"tmpfs", "ramfs"})) {
    remarks.push_back({.is_finding = false,
                       .kind = "filesystem",
                       .what = fmt::format("the shards are in memory ({})", kind),
                       .why = "they take memory that ranks and workers want, and are gone after a restart",
                       .todo = "nothing, as long as there is enough of it"});
  } else if (is_any_of(kind, {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p"}) || kind.starts_with("fuse")) {
    remarks.push_back(
        {.is_finding = false,
         .kind = "filesystem",
         .what = fmt::format("the shards are on the network or behind a program ({})", kind),
         .why = "all machines of the job share what the server gives, so each gets a part of the speed "
                "that was measured here alone",
         .todo = "run this on all machines at the same time, or copy the shards to a local disk first"});
  }
}

void judge_division(const ShardsFacts& shards, const Job& job, Remarks& remarks) {
  const std::uint64_t readers = job.ranks * std::max<std::uint64_t>(1, job.workers);
  if (shards.shards % readers == 0) return;
  const std::string shape =
      fmt::format("{} x {}", base::format_count(job.ranks, "rank"),
                  base::format_count(std::max<std::uint64_t>(1, job.workers), "worker"));
  const std::string todo = fmt::format(
      "shardmill repack with --multiple-of {}; shardmill ranks tells what each rank "
      "gets from these shards",
      readers);
  if (shards.shards < readers) {
    remarks.push_back(
        {.kind = "few-shards",
         .what = fmt::format("{} are too few for {}", base::format_count(shards.shards, "shard"), shape),
         .why = "workers without a shard are idle, and a rank without one hangs the job or ends it",
         .todo = todo});
    return;
  }
  remarks.push_back(
      {.is_finding = job.ranks > 1 && shards.shards % job.ranks != 0,
       .kind = "uneven-shards",
       .what = fmt::format("{} do not divide into {}", base::format_count(shards.shards, "shard"), shape),
       .why = shards.shards % job.ranks != 0
                  ? "some ranks read a shard more than others, which then wait, or hang at the end of "
                    "the epoch"
                  : "some workers of a rank read a shard more than others",
       .todo = todo});
}

void judge_speed(const ShardsFacts& shards, const Job& job, Remarks& remarks) {
  if (!job.needed || shards.seconds <= 0 || !shards.read.tells_speed()) return;
  const double bytes_a_second =
      static_cast<double>(shards.bytes) / shards.seconds * *job.needed * static_cast<double>(job.ranks);
  if (shards.read.bytes_per_second >= bytes_a_second) return;
  remarks.push_back(
      {.kind = "slow-disk",
       .what =
           fmt::format("{} come from the disk, and {} at {}x take {}",
                       base::format_rate(shards.read.bytes_per_second), base::format_count(job.ranks, "rank"),
                       base::format_speed(*job.needed), base::format_rate(bytes_a_second)),
       .why = "the GPUs starve in each epoch in which the shards do not come from memory",
       .todo = "copy the shards to a faster disk, or have repack write smaller ones (FLAC, or zstd)"});
}

}  // namespace

void judge_shards(const Node& node, Remarks& remarks) {
  if (!node.shards) return;
  const ShardsFacts& shards = *node.shards;
  const std::string& problem = shards.problem.empty() ? shards.read.problem : shards.problem;
  if (!problem.empty()) {
    remarks.push_back({.kind = "shards",
                       .what = problem,
                       .why = "a rank that cannot read its shards ends, and the others hang",
                       .todo = "name a folder of shards, or a dataset, that the user who trains can read"});
    return;
  }
  judge_division(shards, node.job, remarks);
  judge_speed(shards, node.job, remarks);
  judge_filesystem(shards, remarks);
  if (shards.read.is_from_memory && shards.read.tells_speed() &&
      !is_any_of(shards.filesystem.mount.kind, {"tmpfs", "ramfs"}))
    remarks.push_back({.is_finding = false,
                       .kind = "from-memory",
                       .what = "some of the shards came from memory, and the system would not drop them",
                       .why = "the first epoch after a restart may read slower than measured",
                       .todo = "measure again on a machine that has not read them yet"});
}

}  // namespace shardmill::training
