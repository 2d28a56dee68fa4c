// NodeRecord: the facts about a machine as a file; and compare, which finds the differences between the
// machines of one job, and the odd machines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/judge.hpp"
#include "doctor/node.hpp"
#include "ranks/supply.hpp"

namespace shardmill::doctor {

/// All facts and remarks as one JSON document.
std::string to_json(const Node& node, const Remarks& remarks);

/// The part of such a document that is compared.
struct NodeRecord {
  std::string path;  // of the file
  std::string host;
  std::map<std::string, std::string, std::less<>> texts;  // by name; unknown ones are missing
  std::map<std::string, double, std::less<>> amounts;     // the same
  std::set<std::string, std::less<>> findings;            // their kinds
};

/// Throws Error if the file cannot be read, or was not made by to_json().
NodeRecord read_node_record(const std::string& path);
/// The speeds of loaders that the machine of this file measured. Throws Error if it measured none.
ranks::RecordedSpeeds read_loader_speeds(const std::string& path);
NodeRecord read_node_record_text(const std::string& path, std::string_view json);

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

}  // namespace shardmill::doctor
