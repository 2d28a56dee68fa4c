#include "doctor/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text/units.hpp"

namespace shardmill::doctor {

namespace {

constexpr const char* kSameEverywhere = "install the same on all machines, best from one image or lock file";

/// A text that should be the same on all machines.
struct TextRule {
  const char* name;
  bool matters;
  const char* why;
  const char* todo;
};

constexpr std::array kTextRules{
    TextRule{"architecture", true, "one build of torch cannot serve both",
             "train on machines of one architecture"},
    TextRule{"GPUs", true,
             "ranks on the slower cards hold up all others, and the number of ranks must be the same on each "
             "machine",
             "leave the odd machine out, or find the card that it lacks (dmesg, lines with NVRM or Xid)"},
    TextRule{"compute capability", true,
             "kernels compiled for one crash on the other, or give slightly other results",
             "train on cards of one compute capability"},
    TextRule{"driver", true, "CUDA and NCCL work on one machine and fail on the other",
             "install one driver everywhere, and restart"},
    TextRule{"torch", true,
             "ranks of different versions hang or fail when they exchange gradients or load a checkpoint",
             kSameEverywhere},
    TextRule{"CUDA", true, "torch is another build there, with other kernels and another NCCL",
             kSameEverywhere},
    TextRule{"NCCL", true, "ranks with different versions of NCCL do not connect, or hang", kSameEverywhere},
    TextRule{"Python", true, "other versions of packages come with it, and pickled objects may not load",
             kSameEverywhere},
    TextRule{"filesystem of the shards", false, "one machine reads in another way, and perhaps slower",
             "give all machines the same place to read from"},
    TextRule{"kernel", false, "seldom noticed, but the network and the driver depend on it",
             "keep it the same"},
    TextRule{"CPU", false, "loader workers are slower on one of them", "look at the slower one's workers"},
};

enum class Unit { count, bytes, rate };

/// An amount that each machine needs.
struct AmountRule {
  const char* name;
  Unit unit;
  double least_share;   // it matters if one machine has less than this share of the most
  const char* finding;  // it also matters if only some machines have this finding; may be empty
  const char* why;
  const char* todo;
};

constexpr std::array kAmountRules{
    AmountRule{"ranks", Unit::count, 1, "", "the job waits for ranks that one machine never starts",
               "show the same number of GPUs to the job on each machine (CUDA_VISIBLE_DEVICES)"},
    AmountRule{"cores", Unit::count, 0.75, "few-cores",
               "the machine with fewer cores loads slower, and all wait for it",
               "ask for as many cores on each machine"},
    AmountRule{"memory", Unit::bytes, 0.5, "memory",
               "workers are killed on one machine only, and the rest hangs",
               "ask for as much memory on each machine"},
    AmountRule{"open files", Unit::count, 0, "open-files",
               "the DataLoader fails on one machine only, and the rest hangs",
               "set the same limit everywhere (ulimit -n)"},
    AmountRule{"/dev/shm", Unit::bytes, 0, "small-shared-memory",
               "workers die on one machine only, and the rest hangs", "mount it as large on each machine"},
    AmountRule{"shards", Unit::count, 1, "",
               "machines see different data: ranks get other numbers of steps and hang",
               "copy the dataset again, and run shardmill verify on each machine"},
    AmountRule{"bytes of the shards", Unit::bytes, 1, "",
               "machines see different data: ranks get other numbers of steps and hang",
               "copy the dataset again, and run shardmill verify on each machine"},
    AmountRule{"cold reading", Unit::rate, 0.33, "slow-disk",
               "all machines wait for the one that reads slowest",
               "look at its disk or network, and measure again"},
};

/// The findings that other rules use.
bool is_said_elsewhere(std::string_view finding) {
  constexpr std::array<std::string_view, 7> kSaid{"few-cores", "memory", "open-files", "small-shared-memory",
                                                  "slow-disk", "no-gpu", "few-gpus"};
  return std::find(kSaid.begin(), kSaid.end(), finding) != kSaid.end();
}

std::string text_in(Unit unit, double amount) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, amount));
  switch (unit) {
    case Unit::count:
      return base::format_count(whole);
    case Unit::bytes:
      return base::format_size(whole);
    case Unit::rate:
      break;
  }
  return base::format_rate(amount);
}

std::vector<std::string> names_of(const std::vector<NodeRecord>& records) {
  std::set<std::string> hosts;
  for (const NodeRecord& record : records) hosts.insert(record.host);
  const bool hosts_do = hosts.size() == records.size() && !hosts.contains("");
  std::vector<std::string> names;
  names.reserve(records.size());
  for (const NodeRecord& record : records) names.push_back(hosts_do ? record.host : printable(record.path));
  return names;
}

/// The machines by their values, the most common value first.
void sort_values(const std::vector<std::string>& machines, const std::vector<std::string>& values,
                 Difference& difference) {
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto seen = std::find_if(difference.values.begin(), difference.values.end(),
                                   [&](const auto& one) { return one.first == values[i]; });
    if (seen == difference.values.end()) {
      difference.values.push_back({values[i], {machines[i]}});
    } else {
      seen->second.push_back(machines[i]);
    }
  }
  std::stable_sort(difference.values.begin(), difference.values.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  if (2 * difference.values.front().second.size() <= machines.size()) return;
  for (std::size_t i = 1; i < difference.values.size(); ++i)
    difference.odd.insert(difference.odd.end(), difference.values[i].second.begin(),
                          difference.values[i].second.end());
}

class Comparer {
 public:
  explicit Comparer(const std::vector<NodeRecord>& records) : records_(records) {
    comparison_.machines = names_of(records);
  }

  void texts(const TextRule& rule) {
    std::vector<std::string> values;
    for (const NodeRecord& record : records_) {
      const auto found = record.texts.find(rule.name);
      values.push_back(found == record.texts.end() ? "none" : found->second);
    }
    add(values, rule.matters, rule.name, rule.why, rule.todo);
  }

  void amounts(const AmountRule& rule) {
    std::vector<double> amounts;
    std::vector<std::string> values;
    for (const NodeRecord& record : records_) {
      const auto found = record.amounts.find(rule.name);
      if (found == record.amounts.end()) return;  // not every machine has it
      amounts.push_back(found->second);
      values.push_back(text_in(rule.unit, found->second));
    }
    const auto [least, most] = std::minmax_element(amounts.begin(), amounts.end());
    const bool matters = *least < rule.least_share * *most || differs(rule.finding);
    // Amounts that are measured are never quite the same.
    if (rule.unit == Unit::rate && !matters) return;
    add(values, matters, rule.name, rule.why, rule.todo);
  }

  /// The findings of only some machines that no other rule uses.
  void findings() {
    std::set<std::string> kinds;
    for (const NodeRecord& record : records_) kinds.insert(record.findings.begin(), record.findings.end());
    for (const std::string& kind : kinds) {
      if (is_said_elsewhere(kind) || !differs(kind)) continue;
      std::vector<std::string> values;
      for (const NodeRecord& record : records_)
        values.push_back(record.findings.contains(kind) ? "found" : "not found");
      add(values, true, fmt::format("finding {}", printable(kind)),
          "one machine has a problem that others do not have",
          "run shardmill doctor on that machine: it lists the remedies");
    }
  }

  Comparison take() {
    std::stable_partition(comparison_.differences.begin(), comparison_.differences.end(),
                          [](const Difference& difference) { return difference.matters; });
    return std::move(comparison_);
  }

 private:
  bool differs(std::string_view finding) const {
    if (finding.empty()) return false;
    const auto has = [&](const NodeRecord& record) { return record.findings.contains(finding); };
    return std::any_of(records_.begin(), records_.end(), has) &&
           !std::all_of(records_.begin(), records_.end(), has);
  }

  void add(const std::vector<std::string>& values, bool matters, std::string what, const char* why,
           const char* todo) {
    if (std::all_of(values.begin(), values.end(), [&](const auto& value) { return value == values.front(); }))
      return;
    Difference difference{
        .matters = matters, .what = std::move(what), .values = {}, .odd = {}, .why = why, .todo = todo};
    sort_values(comparison_.machines, values, difference);
    comparison_.differences.push_back(std::move(difference));
  }

  const std::vector<NodeRecord>& records_;
  Comparison comparison_;
};

}  // namespace

Comparison compare(const std::vector<NodeRecord>& records) {
  Comparer comparer(records);
  for (const TextRule& rule : kTextRules) comparer.texts(rule);
  for (const AmountRule& rule : kAmountRules) comparer.amounts(rule);
  comparer.findings();
  return comparer.take();
}

}  // namespace shardmill::doctor
