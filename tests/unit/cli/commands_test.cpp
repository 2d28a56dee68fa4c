#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "cli/command.hpp"

namespace shardmill::cli {
namespace {

TEST(Commands, EachIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_EQ(&find_command(command.text.name), &command);
    EXPECT_TRUE(names.insert(command.text.name).second);
  }
  for (const char* name :
       {"repack", "convert", "verify", "ranks", "inspect", "index", "cat", "report", "doctor"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Commands, AMistypedNameIsRefusedWithAHint) {
  try {
    find_command("repak");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.problem(), "there is no command 'repak'");
    EXPECT_NE(error.advice().find("repack"), std::string::npos);
  }
  EXPECT_THROW(find_command(""), UsageError);
}

}  // namespace
}  // namespace shardmill::cli
