// compare: finds the differences between the machines of one job, and the odd machines.
#pragma once

#include <string>
#include <vector>

#include "training/node_record.hpp"

namespace shardmill::training {

struct Difference {
  bool matters = true;  // false: jobs run well in spite of it
  std::string what;     // "torch"
  /// Each value that was seen, and the machines that have it; the most common first.
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  std::vector<std::string> odd;  // the machines that differ from most; empty without a majority
  std::string why;
  std::string todo;
};

struct Comparison {
  std::vector<std::string> machines;    // their names, in the order of the records
  std::vector<Difference> differences;  // those that matter first
};

/// Names machines by their hosts, or by the files if several hosts have the same name.
Comparison compare(const std::vector<NodeRecord>& records);

}  // namespace shardmill::training
