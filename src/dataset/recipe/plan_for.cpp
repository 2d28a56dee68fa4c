#include "dataset/recipe/plan_for.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "dataset/recipe/values.hpp"
#include "deal/steps.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::uint64_t kMostRanks = 1'000'000;
constexpr std::uint64_t kMostWorkersOfRank = 1024;
constexpr std::uint64_t kLargestStaticBatch = 1'000'000'000;

std::uint64_t in_range(const std::string& name, std::string_view text, std::uint64_t most) {
  const std::uint64_t number = number_of(text);
  if (number == 0 || number > most)
    throw Error(fmt::format("has {}={}, which makes no sense", name, number), {},
                fmt::format("give 1 to {}", most));
  return number;
}

void read_plan_word(deal::PlanFor& plan, const std::string& name, std::string_view value) {
  if (name == "static") {
    plan.batch_samples = in_range(name, value, kLargestStaticBatch);
  } else if (name == "ranks") {
    plan.ranks = in_range(name, value, kMostRanks);
  } else if (name == "workers") {
    plan.workers = in_range(name, value, kMostWorkersOfRank);
  } else if (name == "dynamic" || name == "duration" || name == "buckets") {
    throw Error("asks for batches of variable size, with which no shards make ranks take the same steps", {},
                "plan for static=N, or let all ranks stop together (docs/loaders/README.md)");
  } else {
    throw Error("is not LOADER,static=N,ranks=R[,workers=K]", {}, "such as wenet,static=16,ranks=8");
  }
}

}  // namespace

std::string plan_for_text(const std::optional<deal::PlanFor>& plan) {
  if (!plan) return std::string(kNone);
  return fmt::format("{},static={},ranks={},workers={}", name(plan->loader), plan->batch_samples, plan->ranks,
                     plan->workers);
}

std::optional<deal::PlanFor> plan_for_of(std::string_view text) {
  if (text == kNone) return std::nullopt;
  const std::string_view first = text.substr(0, text.find(','));
  const auto loader = deal::loader_by_name(first);
  if (!loader)
    throw Error(fmt::format("begins with {}, which is no loader", printable(first)), {},
                "begin with wenet, wenet-old, webdataset or nemo: wenet,static=16,ranks=8");
  if (!deal::can_batch(*loader, deal::Batching::By::samples))
    throw Error(fmt::format("cannot be planned: {} makes no batches of a fixed number of samples", first), {},
                "plan for wenet, wenet-old, webdataset or nemo");
  deal::PlanFor plan{.loader = *loader};
  std::set<std::string> names;
  for_each_value(text.substr(std::min(text.size(), first.size() + 1)),
                 [&](const std::string& name, std::string_view value) {
                   read_plan_word(plan, name, value);
                   if (!names.insert(name).second)
                     throw Error(fmt::format("says {}= twice", name), {}, "give each once");
                 });
  if (!names.contains("static") || !names.contains("ranks"))
    throw Error("lacks static=N or ranks=R", {}, "such as wenet,static=16,ranks=8");
  return plan;
}

}  // namespace shardmill::dataset
