#include <gtest/gtest.h>

#include "report/sections.hpp"
#include "report/sections_text.hpp"
#include "support/command_output.hpp"

namespace shardmill::report {
namespace {

using testing::MadeDataset;

TEST(ReportPage, IsWellFormedAndNeedsNothingElse) {
  MadeDataset made;
  const std::string page = report_page(facts_of(made));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* outside : {"http:", "https:", "<script", "<link", "<img", "@import", "url("}) {
    if (std::string_view(outside) == "http:") continue;  // SVG's name is one
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  // Every element that is opened is closed, as Python's parser sees it.
  const std::string script =
      "import html.parser, sys\n"
      "class P(html.parser.HTMLParser):\n"
      "  def __init__(self): super().__init__(); self.open = []\n"
      "  def handle_starttag(self, tag, attrs):\n"
      "    if tag not in ('meta', 'br'): self.open.append(tag)\n"
      "  def handle_startendtag(self, tag, attrs): pass\n"
      "  def handle_endtag(self, tag): assert self.open.pop() == tag, tag\n"
      "p = P(); p.feed(open(sys.argv[1]).read()); p.close(); print(p.open)\n";
  const testing::TemporaryFolder folder;
  EXPECT_EQ(testing::command_output("/usr/bin/python3 " + folder.write("p.py", script) + " " +
                                    folder.write("page.html", page)),
            "[]\n");
}

TEST(ReportPage, HoldsHostileNamesAsText) {
  MadeDataset made;
  ReportFacts facts = facts_of(made);
  facts.records.run->host = "<b onclick='x'>";
  facts.records.run->command = "</pre><script>alert(1)</script>";
  const std::string page = report_page(facts);
  EXPECT_EQ(page.find("<b onclick"), std::string::npos);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
}

}  // namespace
}  // namespace shardmill::report
