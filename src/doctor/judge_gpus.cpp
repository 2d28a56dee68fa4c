#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/text/units.hpp"
#include "doctor/judge.hpp"

namespace shardmill::doctor {

namespace {

constexpr std::uint64_t kUsuallyTakenBytes = std::uint64_t{1} << 30;  // by the driver or a desktop
constexpr double kLikeMemory = 0.02;  // the largest difference of cards of one kind
constexpr std::size_t kMostLinesShown = 3;

/// The properties that cards must share.
struct Likeness {
  std::vector<Gpu> gpus;

  bool holds(const Gpu& gpu) const {
    const Gpu& first = gpus.front();
    return std::tie(first.name, first.compute_capability) == std::tie(gpu.name, gpu.compute_capability) &&
           has_like_memory(first, gpu);
  }
  std::string text() const {
    const Gpu& gpu = gpus.front();
    std::string text = fmt::format("GPU {}: {}", numbers_of(gpus), gpu.name);
    if (!gpu.compute_capability.empty())
      text += fmt::format(", compute capability {}", gpu.compute_capability);
    if (gpu.memory_bytes) text += fmt::format(", {}", base::format_size(*gpu.memory_bytes));
    return text;
  }

 private:
  static bool has_like_memory(const Gpu& a, const Gpu& b) {
    if (!a.memory_bytes || !b.memory_bytes) return true;
    const double more = static_cast<double>(std::max(*a.memory_bytes, *b.memory_bytes));
    const double less = static_cast<double>(std::min(*a.memory_bytes, *b.memory_bytes));
    return more - less <= kLikeMemory * more;
  }
};

std::vector<Likeness> kinds_of(const std::vector<Gpu>& gpus) {
  std::vector<Likeness> kinds;
  for (const Gpu& gpu : gpus) {
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Likeness& one) { return one.holds(gpu); });
    if (kind == kinds.end()) {
      kinds.push_back({.gpus = {gpu}});
    } else {
      kind->gpus.push_back(gpu);
    }
  }
  return kinds;
}

void judge_likeness(const std::vector<Gpu>& gpus, Remarks& remarks) {
  const std::vector<Likeness> kinds = kinds_of(gpus);
  if (kinds.size() < 2) return;
  std::string what = "the GPUs are not alike: ";
  for (std::size_t i = 0; i < kinds.size(); ++i) what += (i == 0 ? "" : "; ") + kinds[i].text();
  const bool same_capability = std::all_of(kinds.begin(), kinds.end(), [&](const Likeness& kind) {
    return kind.gpus.front().compute_capability == kinds.front().gpus.front().compute_capability;
  });
  const Likeness& most = *std::max_element(
      kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.gpus.size() < b.gpus.size(); });
  std::string devices;
  for (const Gpu& gpu : most.gpus) devices += fmt::format("{}{}", devices.empty() ? "" : ",", gpu.index);
  remarks.push_back(
      {.kind = "unlike-gpus",
       .what = what,
       .why =
           same_capability
               ? "all ranks wait for the slowest card, and a batch that fits the largest runs out of memory "
                 "on the smallest"
               : "code compiled for one compute capability crashes on the other (SIGSEGV, \"no kernel image "
                 "is "
                 "available\"), all ranks wait for the slowest card, and a batch that fits the largest runs "
                 "out of memory on the smallest",
       .todo = fmt::format(
           "train on cards of one kind: export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={} "
           "(without the first, CUDA numbers unlike cards in another order than nvidia-smi)",
           devices)});
}

void judge_drivers(const std::vector<Gpu>& gpus, Remarks& remarks) {
  const auto other = std::find_if(gpus.begin(), gpus.end(),
                                  [&](const Gpu& gpu) { return gpu.driver != gpus.front().driver; });
  if (other == gpus.end()) return;
  remarks.push_back({.kind = "drivers",
                     .what = fmt::format("GPU {} has driver {}, and GPU {} has {}", gpus.front().index,
                                         gpus.front().driver, other->index, other->driver),
                     .why =
                         "one machine runs one driver: half of an update is loaded, and CUDA fails in some "
                         "processes",
                     .todo = "restart the machine, so that one driver is loaded"});
}

void judge_split(const std::vector<Gpu>& gpus, const Job& job, Remarks& remarks) {
  std::vector<Gpu> split;
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(split),
               [](const Gpu& gpu) { return gpu.is_split; });
  if (split.empty()) return;
  remarks.push_back(
      {.is_finding = job.ranks > 1 || split.size() < gpus.size(),
       .kind = "mig",
       .what = fmt::format("MIG is on, on GPU {}", numbers_of(split)),
       .why = "a process sees one slice of one card only, with a part of its memory, and NCCL does "
              "not connect slices: training on several ranks fails or hangs when it starts",
       .todo = "have MIG switched off on the cards that train together (nvidia-smi -mig 0, as root), "
               "or train on one slice with one rank"});
}

void judge_taken(const std::vector<Gpu>& gpus, Remarks& remarks) {
  std::vector<Gpu> taken;
  std::uint64_t most = 0;
  for (const Gpu& gpu : gpus) {
    if (!gpu.taken_bytes || *gpu.taken_bytes <= kUsuallyTakenBytes) continue;
    taken.push_back(gpu);
    most = std::max(most, *gpu.taken_bytes);
  }
  if (taken.empty()) return;
  remarks.push_back(
      {.kind = "gpu-memory-taken",
       .what = fmt::format("memory of GPU {} is taken already: {}{}", numbers_of(taken),
                           taken.size() > 1 ? "up to " : "", base::format_size(most)),
       .why = "that rank runs out of memory at the first long batch, and the others hang at the "
              "next gradient exchange; or another job shares the card, and all ranks wait for it",
       .todo = "end the processes there (nvidia-smi lists them), also those that a killed job left "
               "behind, or leave these cards out with CUDA_VISIBLE_DEVICES"});
}

void judge_none(const Node& node, Remarks& remarks) {
  const bool on_cpu = node.job.on_cpu;
  if (node.python.sees_cuda && node.python.devices != 0 && node.gpus.gpus.empty()) {
    remarks.push_back(
        {.is_finding = false,
         .kind = "gpus-unknown",
         .what = fmt::format("torch sees {} that nvidia-smi does not list",
                             base::format_count(node.python.devices, "GPU")),
         .why = "it is unknown whether the cards are alike, and how much of their memory is taken",
         .todo = node.gpus.is_installed || !node.python.hip.empty()
                     ? "compare them with the maker's own program"
                     : "put nvidia-smi on the PATH; a container gets it with the driver capability "
                       "utility"});
    return;
  }
  std::string what = "no GPU: nvidia-smi was not found";
  if (node.gpus.is_installed) what = "no GPU: nvidia-smi lists none";
  std::string todo =
      node.gpus.is_installed
          ? "look whether the job was given GPUs (a container needs them named when it starts), and whether "
            "the "
            "kernel has lost them (dmesg, lines with NVRM or Xid)"
          : "install NVIDIA's driver; in a container, start it with GPUs and the driver capability utility";
  if (!node.gpus.gpus.empty()) {
    what = fmt::format("no GPU: CUDA_VISIBLE_DEVICES={} hides all {}", *node.visible_devices,
                       base::format_count(node.gpus.gpus.size()));
    todo = "unset CUDA_VISIBLE_DEVICES, or give it numbers that nvidia-smi lists";
  }
  remarks.push_back({.is_finding = !on_cpu,
                     .kind = "no-gpu",
                     .what = what,
                     .why =
                         "training runs on the CPU here, a hundred times slower, or ends with \"CUDA is not "
                         "available\"",
                     .todo = on_cpu ? "nothing, for a training on the CPU" : todo});
}

void judge_answer(const Node& node, Remarks& remarks) {
  const GpuSurvey& survey = node.gpus;
  if (!survey.problem.empty())
    remarks.push_back(
        {.kind = "nvidia-smi",
         .what = fmt::format("nvidia-smi {}", survey.problem),
         .why = "the driver does not work as it should, or a card does not answer: the training "
                "cannot start, or hangs in its first CUDA call",
         .todo = "restart the machine, or load the driver again; after an update, the driver's module "
                 "and its library must have one version; dmesg has lines with NVRM or Xid"});
  if (survey.strange_lines.empty()) return;
  std::string lines;
  for (std::size_t i = 0; i < std::min(kMostLinesShown, survey.strange_lines.size()); ++i)
    lines += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", survey.strange_lines[i]);
  if (survey.strange_lines.size() > kMostLinesShown)
    lines += fmt::format(" and {} more", base::format_count(survey.strange_lines.size() - kMostLinesShown));
  remarks.push_back(
      {.kind = "nvidia-smi-lines",
       .what = fmt::format("nvidia-smi printed something that is not a GPU: {}", lines),
       .why = "a card that has fallen off the bus, or another problem of the driver, shows like this; "
              "a job that uses it hangs",
       .todo = "run nvidia-smi by hand; a machine that has lost a card must be restarted"});
}

}  // namespace

void judge_gpus(const Node& node, Remarks& remarks) {
  judge_answer(node, remarks);
  const std::vector<Gpu> gpus = node.visible();
  if (gpus.empty()) {
    if (node.gpus.problem.empty() && node.gpus.strange_lines.empty()) judge_none(node, remarks);
    return;
  }
  if (!node.job.on_cpu && node.job.ranks > gpus.size())
    remarks.push_back(
        {.kind = "few-gpus",
         .what = fmt::format("{} are to train here, and there {} only {}",
                             base::format_count(node.job.ranks, "rank"), gpus.size() == 1 ? "is" : "are",
                             base::format_count(gpus.size(), "GPU")),
         .why = "two ranks on one card end with NCCL's \"Duplicate GPU detected\", or with \"invalid "
                "device ordinal\"",
         .todo = "start one rank for each GPU, or find the card that is missing (dmesg, lines with "
                 "NVRM or Xid)"});
  judge_likeness(gpus, remarks);
  judge_drivers(gpus, remarks);
  judge_split(gpus, node.job, remarks);
  judge_taken(gpus, remarks);
  if (gpus.size() < node.gpus.gpus.size())
    remarks.push_back(
        {.is_finding = false,
         .kind = "visible-gpus",
         .what = fmt::format("CUDA_VISIBLE_DEVICES shows {} of {}", base::format_count(gpus.size()),
                             base::format_count(node.gpus.gpus.size(), "GPU")),
         .why = "a training that is started from here sees no others",
         .todo = "unset it to train on all"});
}

}  // namespace shardmill::doctor
