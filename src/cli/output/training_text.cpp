#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/output/reports.hpp"

namespace shardmill::cli {

namespace {

using doctor::Gpu;
using doctor::Node;
using doctor::PythonSurvey;
using doctor::Remark;

constexpr std::size_t kTextColumns = 100;

std::string field(std::string_view name, const std::string& value) {
  return fmt::format("  {:<12} {}\n", name, value);
}

/// `text` after `first`, in lines of at most kTextColumns; all later lines start with `next`.
std::string wrapped(const std::string& first, const std::string& next, std::string_view text) {
  std::string out = first;
  std::size_t column = first.size();
  bool at_start = true;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (!at_start && column + 1 + end > kTextColumns) {
      out += "\n" + next;
      column = next.size();
      at_start = true;
    }
    if (!at_start) out += ' ';
    out.append(text.substr(0, end));
    column += end + (at_start ? 0 : 1);
    at_start = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string machine_part(const Node& node) {
  const base::Machine& machine = node.machine;
  std::string text = "machine\n";
  text += field("system", fmt::format("{} on {}", machine.system, machine.host));
  text += field("CPU", machine.cpu.empty() ? "unknown" : machine.cpu);
  text += field("cores", fmt::format("{}, usable: {} may be used", machine.cores, machine.usable_cores));
  std::string memory = fmt::format("{}, {} available", base::format_size(machine.memory_bytes),
                                   base::format_size(machine.available_bytes));
  if (machine.memory_limit_bytes)
    memory +=
        fmt::format("; the control group's limit is {}", base::format_size(*machine.memory_limit_bytes));
  text += field("memory", memory);
  std::string files = base::format_count(node.open_files);
  if (machine.open_files > node.open_files)
    files += fmt::format("; ulimit -n can raise it to {}", base::format_count(machine.open_files));
  text += field("open files", files);
  text +=
      field("/dev/shm",
            node.shared_memory
                ? fmt::format("{} free of {} ({})", base::format_size(node.shared_memory->free_bytes),
                              base::format_size(node.shared_memory->total_bytes), node.shared_memory->kind)
                : "none");
  return text;
}

std::string card_text(const Gpu& gpu) {
  std::string text = gpu.name;
  if (!gpu.compute_capability.empty()) text += fmt::format(", compute capability {}", gpu.compute_capability);
  if (gpu.memory_bytes) text += fmt::format(", {}", base::format_size(*gpu.memory_bytes));
  if (gpu.taken_bytes) text += fmt::format(", {} taken", base::format_size(*gpu.taken_bytes));
  if (!gpu.driver.empty()) text += fmt::format(", driver {}", gpu.driver);
  return text + (gpu.is_split ? ", MIG on" : "");
}

std::string gpus_part(const Node& node) {
  std::string text = "\nGPUs\n";
  if (node.gpus.gpus.empty()) {
    std::string why = "none";
    if (!node.gpus.is_installed && node.gpus.problem.empty()) why = "none: nvidia-smi was not found";
    if (!node.gpus.problem.empty()) why = "nvidia-smi " + node.gpus.problem;
    return text + wrapped("  ", "  ", why);
  }
  // Equal cards share a line.
  std::vector<std::pair<std::string, std::vector<Gpu>>> kinds;
  for (const Gpu& gpu : node.gpus.gpus) {
    const std::string kind = card_text(gpu);
    const auto seen =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == kind; });
    if (seen == kinds.end()) {
      kinds.push_back({kind, {gpu}});
    } else {
      seen->second.push_back(gpu);
    }
  }
  for (const auto& [kind, gpus] : kinds)
    text += wrapped(fmt::format("  {:<12} ", doctor::numbers_of(gpus)), std::string(15, ' '), kind);
  if (node.visible_devices)
    text += field("visible", fmt::format("{} (CUDA_VISIBLE_DEVICES={})", node.visible().size(),
                                         printable(*node.visible_devices)));
  return text;
}

std::string python_part(const PythonSurvey& python) {
  std::string text = "\nPython\n";
  if (!python.is_found) return text + "  none\n";
  const auto or_none = [](const std::string& version) {
    return version.empty() ? "none" : printable(version);
  };
  if (!python.version.empty())
    text += field("python", fmt::format("{}, {}; starts processes by {}", printable(python.version),
                                        printable(python.executable), printable(python.start_method)));
  text += field("torch", or_none(python.torch));
  if (python.torch.empty()) return text;
  if (!python.hip.empty()) text += field("ROCm", printable(python.hip));
  text += field("CUDA", fmt::format("{}; {}", or_none(python.cuda),
                                    python.sees_cuda ? base::format_count(python.devices, "GPU") + " seen"
                                                     : std::string("no GPU seen")));
  return text + field("NCCL", or_none(python.nccl));
}

std::string job_part(const Node& node) {
  const doctor::Job& job = node.job;
  std::string text = "\njob\n";
  text += field("ranks", fmt::format("{} on this machine, {} each", job.ranks,
                                     base::format_count(job.workers, "loader worker")));
  text += field("batches", fmt::format("{} of {} in advance for each worker: {} of shared memory",
                                       job.prefetch, base::format_size(job.batch_bytes),
                                       base::format_size(doctor::shared_memory_needed(job))));
  if (job.needed) text += field("need", fmt::format("{}x for each rank", base::format_speed(*job.needed)));
  if (job.needed && job.worker_speed)
    text += field("supply", fmt::format("{}x from each worker{}: {} for each rank",
                                        base::format_speed(*job.worker_speed),
                                        job.is_speed_measured ? ", " + job.speed_basis : "",
                                        base::format_count(doctor::workers_needed(job), "worker")));
  return text;
}

std::string shards_part(const doctor::ShardsFacts& shards) {
  std::string text = fmt::format("\nshards {}\n", printable(shards.folder));
  const base::Mount& mount = shards.filesystem.mount;
  text +=
      field("filesystem", mount.kind + (mount.point.empty() ? "" : ", mounted on " + printable(mount.point)));
  if (!shards.problem.empty()) return text;
  text += field("amount", fmt::format("{}, {}{}", base::format_count(shards.shards, "shard"),
                                      base::format_size(shards.bytes),
                                      shards.seconds > 0 ? ", " + base::format_audio(shards.seconds) : ""));
  if (!shards.read.tells_speed())
    return text + field("cold reading", fmt::format("unknown: {} are too little to measure",
                                                    base::format_size(shards.read.bytes)));
  std::string speed = base::format_rate(shards.read.bytes_per_second);
  if (shards.seconds > 0 && shards.bytes > 0)
    speed += fmt::format(
        ", {}x", base::format_count(static_cast<std::uint64_t>(
                     shards.read.bytes_per_second / static_cast<double>(shards.bytes) * shards.seconds)));
  return text +
         field("cold reading", fmt::format("{} ({} of {} tried)", speed, base::format_size(shards.read.bytes),
                                           base::format_count(shards.read.files, "shard")));
}

std::string loaders_part(const doctor::LoaderSurvey& loaders) {
  std::string text = "\none loader worker\n";
  for (const doctor::LoaderTrial& trial : loaders.trials) {
    const std::string codec = trial.codec == "none" ? "plain" : printable(trial.codec);
    const std::string result =
        trial.is_good() ? fmt::format("{}x, {:.0f} samples a second", base::format_speed(trial.speed()),
                                      static_cast<double>(trial.samples) / trial.seconds)
                        : "cannot read them: " + printable(trial.problem);
    text += field(codec, fmt::format("{}: {}", printable(trial.reader), result));
  }
  return text;
}

std::string remark_text(std::string_view title, const std::string& what, const std::string& why,
                        const std::string& todo) {
  return wrapped(fmt::format("{}: ", title), "  ", what) + wrapped("  why: ", "       ", why) +
         wrapped("  do:  ", "       ", todo);
}

std::string title_of(const doctor::Difference& difference) {
  return difference.matters ? "differs" : "differs, which may not matter";
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

std::string values_text(const doctor::Difference& difference) {
  std::string text = difference.what + ": ";
  bool is_first = true;
  for (const auto& [value, machines] : difference.values) {
    text += fmt::format("{}{} on {}", is_first ? "" : "; ", value, listed(machines));
    is_first = false;
  }
  return text;
}

void write_names(base::JsonWriter& json, std::string_view name, const std::vector<std::string>& names) {
  json.key(name).begin_array();
  for (const std::string& one : names) json.value(one);
  json.end_array();
}

}  // namespace

std::string training_as_text(const doctor::TrainingDoctorSummary& summary) {
  const Node& node = summary.node;
  std::string text = machine_part(node) + gpus_part(node) + python_part(node.python) + job_part(node);
  if (node.shards) text += shards_part(*node.shards);
  if (node.loaders) text += loaders_part(*node.loaders);
  text += '\n';
  for (const Remark& remark : summary.remarks)
    text += remark_text(remark.is_finding ? "finding" : "note", remark.what, remark.why, remark.todo);
  if (summary.is_good()) text += "no problems found for distributed training";
  const bool knows_torch = !node.python.torch.empty();
  if (!knows_torch)
    text += fmt::format("{}torch was not checked: name the Python that trains with --python",
                        summary.is_good() ? ", but " : "");
  if (summary.is_good() || !knows_torch) text += '\n';
  return text;
}

bool differs(const doctor::Comparison& comparison) {
  return std::any_of(comparison.differences.begin(), comparison.differences.end(),
                     [](const auto& difference) { return difference.matters; });
}

std::string comparison_as_text(const doctor::Comparison& comparison) {
  std::string text = fmt::format("{}: {}\n", base::format_count(comparison.machines.size(), "machine"),
                                 listed(comparison.machines));
  for (const doctor::Difference& difference : comparison.differences) {
    text += wrapped(title_of(difference) + ": ", "  ", values_text(difference));
    if (!difference.odd.empty()) text += wrapped("  odd: ", "       ", listed(difference.odd));
    text += wrapped("  why: ", "       ", difference.why) + wrapped("  do:  ", "       ", difference.todo);
  }
  return text + (differs(comparison) ? "" : "no difference that matters\n");
}

std::string comparison_as_json(const doctor::Comparison& comparison) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object();
  write_names(json, "machines", comparison.machines);
  json.member("alike", !differs(comparison)).key("differences").begin_array();
  for (const doctor::Difference& difference : comparison.differences) {
    json.begin_object().member("what", difference.what).member("matters", difference.matters);
    json.key("values").begin_array();
    for (const auto& [value, machines] : difference.values) {
      json.begin_object().member("value", value);
      write_names(json, "machines", machines);
      json.end_object();
    }
    json.end_array();
    write_names(json, "odd", difference.odd);
    json.member("why", difference.why).member("do", difference.todo).end_object();
  }
  json.end_array().end_object();
  return text;
}

}  // namespace shardmill::cli
