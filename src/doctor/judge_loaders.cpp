#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "doctor/judge.hpp"

namespace shardmill::doctor {

namespace {

// The memory of a loader worker that has imported torch, roughly.
constexpr std::uint64_t kProcessBytes = 400'000'000;
// The size that a container gets by default.
constexpr std::uint64_t kContainersSharedMemory = std::uint64_t{64} << 20;
// A tensor on its way from a worker is an open file of its rank; a batch is a few of them, or tens.
constexpr std::uint64_t kTensorsPerBatch = 32;
constexpr std::uint64_t kFilesOfAProcess = 256;

std::string shape_of(const Job& job) {
  return fmt::format("{} x {} x {}", base::format_count(job.ranks, "rank"),
                     base::format_count(job.workers, "worker"),
                     job.prefetch == 1 ? "1 batch" : base::format_count(job.prefetch) + " batches");
}

std::uint64_t files_needed(const Job& job) {
  return kFilesOfAProcess + (job.workers * job.prefetch + 1) * kTensorsPerBatch;
}

void judge_open_files(const Node& node, Remarks& remarks) {
  const std::uint64_t needed = files_needed(node.job);
  if (node.open_files >= needed) return;
  const std::uint64_t hard = node.machine.open_files;
  remarks.push_back(
      {.kind = "open-files",
       .what =
           fmt::format("a process may have {} open, and a rank may need {} ({}, {} ahead of each, up to {} "
                       "tensors a batch)",
                       base::format_count(node.open_files, "file"), base::format_count(needed),
                       base::format_count(node.job.workers, "worker"), node.job.prefetch, kTensorsPerBatch),
       .why =
           "the DataLoader ends with \"Too many open files\" or \"received 0 items of ancdata\", often after "
           "hours, and the other ranks hang",
       .todo = hard >= needed
                   ? fmt::format("ulimit -n {} in the script that starts the job",
                                 std::min<std::uint64_t>(hard, 65536))
                   : "have the hard limit raised (limits.conf, or LimitNOFILE of the service), or set "
                     "torch.multiprocessing.set_sharing_strategy(\"file_system\")"});
}

std::string speeds(const Job& job) {
  return fmt::format("a worker delivers {}x{}, the trainer of a rank takes {}x",
                     base::format_speed(*job.worker_speed),
                     job.is_speed_measured ? ", " + job.speed_basis : "", base::format_speed(*job.needed));
}

void judge_workers(const Node& node, Remarks& remarks) {
  const std::uint64_t needed = workers_needed(node.job);
  const std::uint64_t workers = node.job.workers;
  if (needed <= workers) return;
  remarks.push_back(
      {.kind = "few-workers",
       .what = fmt::format("{} a rank {} too few: {}", base::format_count(workers, "worker"),
                           workers == 1 ? "is" : "are", speeds(node.job)),
       .why = "the GPUs starve: they wait for batches",
       .todo = fmt::format(
           "give each rank {}, or make the shards cheaper to read (shardmill ranks compares their "
           "forms)",
           base::format_count(needed, "worker"))});
}

/// The reason for missing cores, if this process may not use all.
std::string withheld_cores(const base::Machine& machine) {
  if (machine.cpu_quota) return fmt::format("; the control group's quota is {:.4g}", *machine.cpu_quota);
  if (machine.affinity_cores < machine.cores)
    return fmt::format("; the affinity mask has {} of {}", machine.affinity_cores,
                       base::format_count(machine.cores, "core"));
  return "";
}

/// The remedy if the cores do not suffice for `workers` of each rank.
std::string more_cores(const Node& node, std::uint64_t workers) {
  const std::uint64_t cores = node.machine.usable_cores;
  const std::uint64_t ranks = node.job.ranks;
  std::string todo = fmt::format("ask for {}", base::format_count(ranks * (workers + 1), "core"));
  if (workers_needed(node.job) != 0) {
    todo += ", or make batches cheaper: features that are computed once, shards that decode faster";
    if (cores / (workers + 1) != 0)
      todo += fmt::format("; these feed {}", base::format_count(cores / (workers + 1), "rank"));
  } else if (cores / ranks > 1) {
    todo += fmt::format(", or start with {} a rank", base::format_count(cores / ranks - 1, "worker"));
  } else {
    todo += ", or start fewer ranks";
  }
  return todo + withheld_cores(node.machine);
}

void judge_cores(const Node& node, Remarks& remarks) {
  const Job& job = node.job;
  const std::uint64_t workers = workers_needed(job) != 0 ? workers_needed(job) : job.workers;
  const std::uint64_t processes = job.ranks * (workers + 1);
  const std::uint64_t cores = node.machine.usable_cores;
  if (processes <= cores) return;
  remarks.push_back(
      {.kind = "few-cores",
       .what = fmt::format("{} with {} each are {} processes on {}{}", base::format_count(job.ranks, "rank"),
                           base::format_count(workers, "worker"), base::format_count(processes),
                           base::format_count(cores, "core"),
                           workers_needed(job) != 0 ? fmt::format("; {}", speeds(job)) : ""),
       .why = "workers share cores with each other and with the loop that feeds the GPU: loading takes "
              "longer than "
              "training, and the GPUs starve",
       .todo = more_cores(node, workers)});
}

void judge_memory(const Node& node, Remarks& remarks) {
  const base::Machine& machine = node.machine;
  const std::uint64_t memory =
      std::min(machine.available_bytes, machine.memory_limit_bytes.value_or(machine.available_bytes));
  const Job& job = node.job;
  const std::uint64_t processes = job.ranks * (job.workers + 1) * kProcessBytes;
  const std::uint64_t needed = processes + shared_memory_needed(job);
  if (needed <= memory) return;
  remarks.push_back(
      {.kind = "memory",
       .what = fmt::format("{} of memory are there, and ranks, workers and their batches take about {}",
                           base::format_size(memory), base::format_size(needed)),
       .why = "the system kills a process (\"DataLoader worker is killed by signal: Killed\"), and the "
              "other ranks hang",
       .todo = "start fewer workers, make batches smaller, or ask for more memory"});
}

void judge_start_method(const Node& node, Remarks& remarks) {
  const std::string architecture = node.architecture();
  if (architecture != "aarch64" && architecture != "arm64") return;
  remarks.push_back(
      {.is_finding = false,
       .kind = "start-method",
       .what =
           fmt::format("this is 64-bit ARM, where DataLoader workers should be spawned{}",
                       node.python.start_method.empty()
                           ? ""
                           : fmt::format("; Python's own start method here is {}", node.python.start_method)),
       .why = "workers that are forked after OpenMP or CUDA has started threads hang or die by SIGSEGV "
              "there",
       .todo = spawning_loader(node.job)});
}

}  // namespace

std::string spawning_loader(const Job& job) {
  return fmt::format(
      "DataLoader(dataset, num_workers={}, prefetch_factor={}, multiprocessing_context=\"spawn\", "
      "persistent_workers=True), below if __name__ == \"__main__\":",
      job.workers, job.prefetch);
}

void judge_shared_memory(const Node& node, Remarks& remarks) {
  if (node.job.workers == 0) return;
  const std::uint64_t needed = shared_memory_needed(node.job);
  if (!node.shared_memory) {
    remarks.push_back(
        {.kind = "no-shared-memory",
         .what = "there is no /dev/shm",
         .why = "loader workers cannot hand over batches: the DataLoader ends with \"unable to open "
                "shared memory object\"",
         .todo = "have a tmpfs mounted on /dev/shm, or load without workers (num_workers=0)"});
    return;
  }
  const SharedMemory& shared = *node.shared_memory;
  if (shared.free_bytes >= needed) return;
  const bool is_containers = shared.total_bytes == kContainersSharedMemory;
  const std::uint64_t gibibytes = (needed >> 30) + 1;
  remarks.push_back(
      {.kind = "small-shared-memory",
       .what = fmt::format("/dev/shm has {} free of {}, and {} x {} take {}",
                           base::format_size(shared.free_bytes), base::format_size(shared.total_bytes),
                           shape_of(node.job), base::format_size(node.job.batch_bytes),
                           base::format_size(needed)),
       .why = "a worker dies by SIGBUS (\"DataLoader worker is killed by signal: Bus error\") when batches "
              "are long, "
              "and the other ranks hang; NCCL needs room there, too",
       .todo =
           is_containers
               ? fmt::format("a container gets 64 MiB: start it with --shm-size={}g or --ipc=host", gibibytes)
               : fmt::format(
                     "remove the files that killed jobs left there, or have it mounted larger (mount -o "
                     "remount,size={}G /dev/shm), or start fewer workers",
                     gibibytes + ((shared.total_bytes - shared.free_bytes) >> 30))});
}

void judge_loaders(const Node& node, Remarks& remarks) {
  if (node.job.workers != 0) judge_open_files(node, remarks);
  judge_workers(node, remarks);
  judge_cores(node, remarks);
  judge_memory(node, remarks);
  judge_start_method(node, remarks);
}

}  // namespace shardmill::doctor
