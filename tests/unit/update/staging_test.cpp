#include "update/staging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::update {
namespace {

using pipeline::TableFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UpdateTables : public ::testing::Test {
 protected:
  UpdateTables() { options.sources = {"set=more.tar"}; }

  /// A table as a dataset remembers it.
  TableFile table(const std::string& name, const std::string& content = "key,lang\na,de\n") {
    std::vector<TableFile> tables{{.dataset = "set", .path = folder.write(name, content)}};
    pipeline::read_tables(tables, {});
    return {.dataset = "set", .path = tables[0].path, .hash = tables[0].hash};
  }
  std::vector<std::string> paths(const std::vector<TableFile>& tables) const {
    std::vector<std::string> all;
    for (const TableFile& one : tables) all.push_back(one.path.substr(folder.path().string().size() + 1));
    return all;
  }

  testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
  UpdateOptions options;
};

TEST_F(UpdateTables, ThoseOfTheDatasetTellOfNewSamplesToo) {
  const std::vector<TableFile> old{table("a.csv"), table("b.csv")};
  EXPECT_THAT(paths(tables_for(options, old, {}, reporter)), ElementsAre("a.csv", "b.csv"));
  EXPECT_THAT(reporter.warnings, IsEmpty());
}

TEST_F(UpdateTables, ThoseThatAreGivenTakeTheirPlace) {
  const std::vector<TableFile> old{table("a.csv")};
  options.tables = {table("new.csv")};
  EXPECT_THAT(paths(tables_for(options, old, {}, reporter)), ElementsAre("new.csv"));
}

TEST_F(UpdateTables, WhereNothingIsAddedNoneIsRead) {
  const std::vector<TableFile> old{table("a.csv")};
  folder.write("a.csv", "changed");
  options.sources.clear();
  EXPECT_THAT(tables_for(options, old, {}, reporter), IsEmpty());
}

TEST_F(UpdateTables, OneThatIsGoneIsAWarning) {
  const std::vector<TableFile> old{table("a.csv"), table("gone.csv")};
  std::filesystem::remove(folder.path() / "gone.csv");
  EXPECT_THAT(paths(tables_for(options, old, {}, reporter)), ElementsAre("a.csv"));
  ASSERT_EQ(reporter.warnings.size(), 1U);
  EXPECT_THAT(reporter.warnings[0], HasSubstr("gone.csv"));
}

TEST_F(UpdateTables, OneThatChangedIsAnError) {
  const std::vector<TableFile> old{table("a.csv")};
  folder.write("a.csv", "key,lang\na,fr\n");
  EXPECT_THROW(tables_for(options, old, {}, reporter), Error);
}

TEST_F(UpdateTables, EachTableIsRememberedOnce) {
  const TableFile a = table("a.csv");
  const TableFile b = table("b.csv", "key,lang\nb,en\n");
  std::vector<TableFile> all{a};
  add_tables({a, b}, all);
  EXPECT_THAT(paths(all), ElementsAre("a.csv", "b.csv"));
  // Another content under the same name takes its place: what lay there before is gone.
  TableFile changed = a;
  changed.hash = base::xxh3_128({});
  add_tables({changed}, all);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].hash, changed.hash);
}

TEST_F(UpdateTables, TheSameTableOfAnotherDatasetIsAnotherOne) {
  const TableFile a = table("a.csv");
  TableFile of_other = a;
  of_other.dataset = "other";
  std::vector<TableFile> all{a};
  add_tables({of_other}, all);
  EXPECT_EQ(all.size(), 2U);
}

TEST_F(UpdateTables, TheSameContentElsewhereIsNotRememberedTwice) {
  std::vector<TableFile> all{table("a.csv")};
  add_tables({table("copy.csv")}, all);
  EXPECT_THAT(paths(all), ElementsAre("a.csv"));
}

}  // namespace
}  // namespace shardmill::update
