// NodeRecord: the facts about a machine as a file, to be compared with the files of other machines.
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
NodeRecord read_node_record_text(const std::string& path, std::string_view json);

}  // namespace shardmill::training
