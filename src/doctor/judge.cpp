#include "doctor/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text/units.hpp"

namespace shardmill::doctor {

std::uint64_t shared_memory_needed(const Job& job) {
  // Each worker has its batches ready, and the rank holds the one that it trains on. A DataLoader of
  // PyTorch 1.13 with 4 workers, 2 batches ahead and batches of 40 MB took 360 MB, and not a byte more.
  return job.ranks * (job.workers * job.prefetch + 1) * job.batch_bytes;
}

std::uint64_t workers_needed(const Job& job) {
  if (!job.needed || !job.worker_speed || *job.worker_speed <= 0) return 0;
  return static_cast<std::uint64_t>(std::ceil(*job.needed / *job.worker_speed));
}

Remarks judge(const Node& node) {
  Remarks remarks;
  judge_gpus(node, remarks);
  judge_torch(node, remarks);
  judge_shared_memory(node, remarks);
  judge_loaders(node, remarks);
  judge_shards(node, remarks);
  std::stable_partition(remarks.begin(), remarks.end(),
                        [](const Remark& remark) { return remark.is_finding; });
  return remarks;
}

namespace {

void judge_absence(const PythonSurvey& python, bool is_named, Remarks& remarks) {
  remarks.push_back(
      {.is_finding = is_named,
       .kind = "no-torch",
       .what = python.is_found ? fmt::format("{} has no torch",
                                             python.executable.empty() ? python.asked_for : python.executable)
                               : fmt::format("{} was not found", is_named ? python.asked_for : "python3"),
       .why = "it is unknown whether torch, CUDA and NCCL fit together here",
       .todo = "run this again in the environment that trains (conda, venv, container), or name its "
               "Python"});
}

void judge_failure(const PythonSurvey& python, Remarks& remarks) {
  remarks.push_back(
      {.kind = python.is_out_of_time ? "python-hangs" : "python-fails",
       .what = fmt::format("{}: {}", python.executable.empty() ? python.asked_for : python.executable,
                           python.problem),
       .why = python.is_out_of_time ? "importing torch hangs, on a slow disk or in the driver, and each rank "
                                      "and each loader worker "
                                      "imports it, too"
                                    : "a training that is started with it ends in the same way, on all ranks",
       .todo =
           python.is_out_of_time
               ? "try python3 -c 'import torch; torch.cuda.is_available()' by hand, and give it more time if "
                 "the disk is only slow"
               : "try python3 -c 'import torch' by hand; install torch again if it does not load"});
}

/// Compares the cards with the targets that torch was compiled for.
void judge_kernels(const PythonSurvey& python, const std::vector<Gpu>& gpus, Remarks& remarks) {
  if (python.kernels.empty()) return;
  const auto without = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
    return !runs_on(python.kernels, gpu.compute_capability);
  });
  if (without == gpus.end()) return;
  remarks.push_back(
      {.kind = "kernels",
       .what = fmt::format("torch {} has no kernels for GPU {} ({}, compute capability {}): it was "
                           "compiled for {}",
                           python.torch, without->index, without->name, without->compute_capability,
                           fmt::join(python.kernels, ", ")),
       .why = "the first operation on that card ends with \"no kernel image is available\", or the "
              "process dies by SIGSEGV",
       .todo = "install a torch that was compiled for this compute capability: a newer one, or one of "
               "a newer CUDA"});
}

void judge_cuda(const PythonSurvey& python, const std::vector<Gpu>& gpus, Remarks& remarks) {
  if (python.cuda.empty() && python.hip.empty()) {
    remarks.push_back(
        {.kind = "torch-without-cuda",
         .what = fmt::format("torch {} was built without CUDA", python.torch),
         .why = "it does not see the GPUs: training runs on the CPU, or ends with \"Torch not compiled "
                "with CUDA enabled\"",
         .todo = "install a build of torch for CUDA (its version ends in +cu and a number, or conda "
                 "lists it with cuda)"});
    return;
  }
  if (!python.sees_cuda) {
    remarks.push_back(
        {.kind = "cuda",
         .what = fmt::format("torch {} for CUDA {} cannot use the GPUs{}{}", python.torch, python.cuda,
                             python.cuda_warning.empty() ? "" : ": ", python.cuda_warning),
         .why = "the training ends when it first asks for CUDA",
         .todo = fmt::format("see whether the driver ({}) is new enough for CUDA {}: nvidia-smi shows "
                             "the newest CUDA that it can run; else install a torch of an older CUDA",
                             gpus.front().driver, python.cuda)});
    return;
  }
  if (python.devices < gpus.size())
    remarks.push_back(
        {.kind = "cuda-devices",
         .what = fmt::format("torch sees {}, and nvidia-smi {}", base::format_count(python.devices, "GPU"),
                             base::format_count(gpus.size())),
         .why = "ranks for the other cards end with \"invalid device ordinal\"",
         .todo = "look at CUDA_VISIBLE_DEVICES, at MIG, and at dmesg (lines with NVRM or Xid)"});
  judge_kernels(python, gpus, remarks);
}

}  // namespace

void judge_torch(const Node& node, Remarks& remarks) {
  const PythonSurvey& python = node.python;
  const bool is_named = node.is_python_named;
  if (!python.is_found || (python.torch.empty() && python.problem.empty()))
    return judge_absence(python, is_named, remarks);
  if (python.torch.empty()) return judge_failure(python, remarks);
  const std::vector<Gpu> gpus = node.visible();
  if (gpus.empty() || node.job.on_cpu) return;
  judge_cuda(python, gpus, remarks);
  if (python.sees_cuda && node.job.ranks > 1 && !python.has_nccl_backend)
    remarks.push_back({.kind = "no-nccl",
                       .what = fmt::format("torch {} was built without NCCL", python.torch),
                       .why = "ranks exchange gradients over gloo, through the CPU: many times slower, or "
                              "init_process_group(\"nccl\") ends the training",
                       .todo = "install a build of torch with NCCL"});
}

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
         .why = "all machines of the job share the server, so each gets a part of the speed that was "
                "measured here alone",
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
      "shardmill repack with --multiple-of {}; shardmill ranks shows what each rank "
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

}  // namespace shardmill::doctor
