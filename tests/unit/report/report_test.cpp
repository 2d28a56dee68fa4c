#include "report/report.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "manifest/json_fields.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::report {
namespace {

using testing::MadeDataset;

TEST(Report, WritesASealedPageThatIsTheSameEachTime) {
  MadeDataset made;
  const auto summary = run_report({.folders = {made.folder()}, .out_file = "", .batches = "", .command = ""},
                                  std::nullopt, made.workers(), made.reporter());
  EXPECT_EQ(summary.out_file, made.path("report.html"));
  EXPECT_EQ(summary.samples, MadeDataset::kSamples);
  const std::string page = made.read("report.html");
  EXPECT_EQ(page.size(), summary.bytes);
  EXPECT_TRUE(manifest::check_page_seal(page));
  run_report({.folders = {made.folder()}, .out_file = "", .batches = "", .command = ""}, std::nullopt,
             made.workers(), made.reporter());
  EXPECT_EQ(made.read("report.html"), page);
}

TEST(Report, ReplacesNothingButAnOlderPage) {
  MadeDataset made;
  const testing::TemporaryFolder folder;
  const auto write_to = [&](const std::string& path) {
    run_report({.folders = {made.folder()}, .out_file = path, .batches = "", .command = ""}, std::nullopt,
               made.workers(), made.reporter());
  };
  EXPECT_THROW(write_to(folder.write("mine.html", "my own page")), Error);
  EXPECT_EQ(base::read_text(folder.file("mine.html")), "my own page");
  EXPECT_THROW(write_to(made.path("dataset.json")), Error);
  EXPECT_NO_THROW(write_to(folder.file("new.html")));
  EXPECT_NO_THROW(write_to(folder.file("new.html")));
}

}  // namespace
}  // namespace shardmill::report
