#include "check/report_check.hpp"

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "manifest/layout.hpp"
#include "manifest/seal.hpp"

namespace shardmill::check {

void check_report(const dataset::DatasetRecords& records, FindingList& findings) {
  const std::string path = records.path(manifest::kReport);
  if (!base::exists(path)) return;
  try {
    if (!manifest::check_page_seal(base::read_text(path)))
      findings.note(at(path), "holds no checksum, so that changes are not seen: run shardmill report again");
  } catch (const Error& error) {
    findings.add(error.within(at(path)));
  }
}

}  // namespace shardmill::check
