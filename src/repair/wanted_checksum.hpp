// Which of several checksums is that of a file as it should be.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace shardmill::repair {

/// `told`: what records say of a file, SHA256SUMS first; `found`: what the file has now. A record may be
/// damaged as files are, so a checksum with a few wrong digits counts as the one that it is nearly equal to:
/// no damage makes a file fit another checksum. nullopt: nothing is told.
std::optional<std::string> wanted_checksum(const std::vector<std::string>& told, const std::string& found);

}  // namespace shardmill::repair
