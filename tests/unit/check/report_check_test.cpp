#include "check/report_check.hpp"

#include <gtest/gtest.h>

#include "manifest/seal.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::check {
namespace {

/// 'f' for a finding, 'n' for a note.
std::string checked(const testing::TemporaryFolder& folder) {
  FindingList list;
  check_report(dataset::DatasetRecords{.folder = folder.path().string()}, list);
  std::string kinds;
  for (const Finding& finding : list.take()) {
    EXPECT_EQ(finding.where.path, folder.path().string() + "/report.html");
    kinds += finding.severity == Finding::Severity::note ? 'n' : 'f';
  }
  return kinds;
}

TEST(ReportCheck, AChangedPageIsAFindingAndAnOldOneANote) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(checked(folder), "");
  std::string page = "<!DOCTYPE html>\n<p>figures</p>\n";
  folder.write("report.html", page);
  EXPECT_EQ(checked(folder), "n");
  manifest::end_sealed_page(page);
  folder.write("report.html", page);
  EXPECT_EQ(checked(folder), "");
  page[20] = 'x';
  folder.write("report.html", page);
  EXPECT_EQ(checked(folder), "f");
}

}  // namespace
}  // namespace shardmill::check
