#include "doctor/compare.hpp"

#include <gtest/gtest.h>

namespace shardmill::doctor {
namespace {

NodeRecord machine_called(const std::string& host) {
  return {.path = host + ".json",
          .host = host,
          .texts = {{"torch", "2.4"}, {"kernel", "6.1"}},
          .amounts = {{"cores", 64}, {"/dev/shm", 1e11}, {"cold reading", 1e9}},
          .findings = {}};
}

std::vector<std::string> names_of_differences(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Difference& difference : comparison.differences)
    names.push_back((difference.matters ? "" : "note ") + difference.what);
  return names;
}

using Names = std::vector<std::string>;

TEST(Compare, NamesTheOddOneOfMany) {
  std::vector<NodeRecord> records;
  for (const char* const host : {"a", "b", "c", "d"}) records.push_back(machine_called(host));
  EXPECT_EQ(names_of_differences(compare(records)), Names{});
  records[2].texts["torch"] = "2.1";
  records[3].texts.erase("torch");
  records[0].texts["kernel"] = "5.4";
  const Comparison comparison = compare(records);
  EXPECT_EQ(names_of_differences(comparison), (Names{"torch", "note kernel"}));
  EXPECT_EQ(comparison.differences[0].odd, Names{}) << "two of four are no majority";
  EXPECT_EQ(comparison.differences[0].values[2].first, "none");
  EXPECT_EQ(comparison.differences[1].odd, Names{"a"});
}

TEST(Compare, AmountsMatterWhereOneMachineFallsBehind) {
  std::vector<NodeRecord> records{machine_called("a"), machine_called("b"), machine_called("c")};
  records[1].amounts["cores"] = 50;
  EXPECT_EQ(names_of_differences(compare(records)), Names{"note cores"});
  records[1].amounts["cores"] = 47;
  EXPECT_EQ(names_of_differences(compare(records)), Names{"cores"});
  records[1] = machine_called("b");
  records[1].amounts["cold reading"] = 0.4e9;
  EXPECT_EQ(names_of_differences(compare(records)), Names{});
  records[1].amounts["cold reading"] = 0.3e9;
  EXPECT_EQ(names_of_differences(compare(records)), Names{"cold reading"});
  records[1].amounts.erase("cold reading");  // it was not asked of all
  EXPECT_EQ(names_of_differences(compare(records)), Names{});
}

TEST(Compare, EachMachineStartsAsManyRanks) {
  std::vector<NodeRecord> records{machine_called("a"), machine_called("b"), machine_called("c")};
  for (NodeRecord& each : records) each.amounts["ranks"] = 2;
  EXPECT_EQ(names_of_differences(compare(records)), Names{});
  records[1].amounts["ranks"] = 1;
  EXPECT_EQ(names_of_differences(compare(records)), Names{"ranks"});
}

TEST(Compare, FindingsOfOneMachineMatter) {
  std::vector<NodeRecord> records{machine_called("a"), machine_called("b"), machine_called("c")};
  records[2].findings = {"mig"};
  EXPECT_EQ(compare(records).differences.at(0).odd, Names{"c"});
  for (NodeRecord& record : records) record.findings = {"mig"};
  EXPECT_EQ(names_of_differences(compare(records)), Names{}) << "each says so itself";
  records[0].amounts["/dev/shm"] = 64e6;
  EXPECT_EQ(names_of_differences(compare(records)), Names{"note /dev/shm"});
  records[0].findings.insert("small-shared-memory");
  EXPECT_EQ(names_of_differences(compare(records)), Names{"/dev/shm"});
}

TEST(NodeRecord, IsReadBackAsItWasWritten) {
  Node node;
  node.machine.host = "a\nb";
  node.machine.system = "Linux 6.1 aarch64";
  node.machine.usable_cores = 7;
  node.gpus.gpus.push_back({.index = 0, .uuid = "GPU", .name = "H100", .driver = "550"});
  node.gpus.gpus.push_back({.index = 1, .uuid = "GPU", .name = "H100", .driver = "550", .is_split = true});
  node.python.torch = "2.4";
  const NodeRecord record =
      read_node_record_text("x", to_json(node, {{.kind = "mig"}, {.is_finding = false, .kind = "y"}}));
  EXPECT_EQ(record.host, "a\\x0ab");
  EXPECT_EQ(record.texts.at("architecture"), "aarch64");
  EXPECT_EQ(record.texts.at("kernel"), "Linux 6.1");
  EXPECT_EQ(record.texts.at("GPUs"), "1 x H100, 1 x H100 with MIG");
  EXPECT_EQ(record.texts.at("torch"), "2.4");
  EXPECT_FALSE(record.texts.contains("CUDA"));
  EXPECT_EQ(record.amounts.at("cores"), 7);
  EXPECT_EQ(record.amounts.at("/dev/shm"), 0);
  EXPECT_EQ(record.findings, (std::set<std::string, std::less<>>{"mig"}));
}

TEST(NodeRecord, TellsWhatEachCardSays) {
  Node node;
  EXPECT_FALSE(read_node_record_text("x", to_json(node, {})).texts.contains("driver"));
  const auto add = [&](std::string driver, std::string capability) {
    node.gpus.gpus.push_back({.driver = std::move(driver), .compute_capability = std::move(capability)});
  };
  add("550", "9.0");
  add("550", "8.0");
  add("470", "");
  const NodeRecord record = read_node_record_text("x", to_json(node, {}));
  EXPECT_EQ(record.texts.at("driver"), "550, 470");
  EXPECT_EQ(record.texts.at("compute capability"), "9.0, 8.0, unknown");
}

}  // namespace
}  // namespace shardmill::doctor
