#include "shardmill/commands/report_check.hpp"

#include "shardmill/base/file.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/manifest/seal.hpp"

namespace shardmill::commands {

void check_report(const DatasetRecords& records, FindingList& findings) {
  const std::string path = records.path(manifest::kReport);
  if (!base::exists(path)) return;
  try {
    if (!manifest::check_page_seal(base::read_text(path)))
      findings.note(at(path), "holds no checksum, so that changes are not seen: run shardmill report again");
  } catch (const Error& error) {
    findings.add(error.within(at(path)));
  }
}

}  // namespace shardmill::commands
