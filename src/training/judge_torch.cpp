#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "training/judge.hpp"

namespace shardmill::training {

namespace {

void judge_absence(const PythonSurvey& python, bool is_named, Remarks& remarks) {
  remarks.push_back(
      {.is_finding = is_named,
       .kind = "no-torch",
       .what = python.is_found ? fmt::format("{} has no torch",
                                             python.executable.empty() ? python.asked_for : python.executable)
                               : fmt::format("{} was not found", is_named ? python.asked_for : "python3"),
       .why = "what torch, CUDA and NCCL fit together here is not known",
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
               : "try python3 -c 'import torch' by hand; install torch anew where it does not load"});
}

/// What torch was compiled for, against the cards that are there.
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

}  // namespace shardmill::training
