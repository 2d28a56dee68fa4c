// What a section of the report says, without its markup.
#pragma once

#include <string>

#include "report/facts.hpp"
#include "report/sections.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::report {

using AddSection = void (*)(page::MarkupWriter&, const ReportFacts&);

/// The texts between the tags, with a blank wherever a tag stood.
inline std::string section_text(AddSection add, const ReportFacts& facts) {
  std::string html;
  page::MarkupWriter writer(html);
  add(writer, facts);
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') {
      in_tag = false;
      text += ' ';
    }
  }
  return text;
}

inline ReportFacts facts_of(testing::MadeDataset& made) {
  return read_report_facts(made.folder(), made.workers(), made.reporter());
}

}  // namespace shardmill::report
