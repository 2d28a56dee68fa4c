#include <gtest/gtest.h>

#include "base/error.hpp"
#include "repack/depfile.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::repack {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;

// Names that people give to files, with characters that mean something to make.
const std::vector<std::string> kNames{
    "plain.tar", "two words.tar", "c#sharp",      "co$t",    "$(shell).x", "a:b",
    "st*r",      "wh?t",          "[abc]",        "100%",    "a=b",        "lang=en/x",
    "~home",     "back\\slash",   "back\\ slash", "a\\#b",   "amp&er",     "quo'te",
    "dou\"ble",  "(paren)",       "comma,comma",  "at@sign", "tab\there",  "über/中文.tar",
    "-dash",     "+plus",         "excl!am",      "<angle>", "`tick`"};

/// What GNU make reads as the first prerequisite of the first rule. The file `name` must exist.
std::string as_make_reads(const std::string& rules, const std::string& name) {
  const TemporaryFolder folder;
  folder.write(name, "");
  folder.write("rules.d", rules);
  folder.write("Makefile", "include rules.d\n%:\n\t$(file >seen,$<)@:\n");
  return command_output("cd '" + folder.path().string() +
                        "' && touch -d yesterday -- * && touch source && (make -rs 2>&1; cat seen || true)");
}

TEST(MakeRules, MakeReadsEveryName) {
  for (const std::string& name : kNames) {
    const std::string rules = make_rules({{.target = "out/dataset.json", .prerequisites = {name}}});
    EXPECT_EQ(as_make_reads(rules, name), name + "\n") << rules;
  }
}

TEST(MakeRules, MakeFindsEveryTarget) {
  for (const std::string& name : kNames) {
    if (name == "100%") continue;
    const std::string rules = make_rules({{.target = name, .prerequisites = {"source"}}});
    EXPECT_EQ(as_make_reads(rules, name), "source\n") << rules;
  }
}

TEST(MakeRules, ManyAtOnceAndTheirOrder) {
  const std::string rules = make_rules({{"a", {"x", "y"}}, {"b", {"a", "x"}}});
  EXPECT_EQ(rules, "a: \\\n  x \\\n  y\nb: \\\n  a \\\n  x\n\nx:\n\ny:\n");
}

TEST(MakeRules, NamesThatNoMakefileCanHold) {
  for (const char* name : {"semi;colon", "b|ar", "backslash\\", "line\nbreak", ""})
    EXPECT_THROW(make_rules({{"a", {name}}}), Error) << name;
  EXPECT_THROW(make_rules({{"100%", {}}}), Error);
}

}  // namespace
}  // namespace shardmill::repack
