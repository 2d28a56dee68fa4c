// NodeRecord: what a machine said of itself, as a file that can be compared with those of others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "training/judge.hpp"
#include "training/node.hpp"

namespace shardmill::training {

/// The whole answer as one JSON document.
std::string to_json(const Node& node, const Remarks& remarks);

/// What is compared of such a document.
struct NodeRecord {
  std::string path;  // of the file
  std::string host;
  std::map<std::string, std::string, std::less<>> texts;  // by name; what is not known is missing
  std::map<std::string, double, std::less<>> amounts;     // the same
  std::set<std::string, std::less<>> findings;            // their kinds
};

/// Throws Error when the file cannot be read, or is none that to_json() made.
NodeRecord read_node_record(const std::string& path);
NodeRecord read_node_record_text(const std::string& path, std::string_view json);

}  // namespace shardmill::training
