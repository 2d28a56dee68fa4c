// What publishers put beside their archives: the MD5 of each.
#pragma once

#include <string>
#include <string_view>

namespace shardmill::source {

/// What md5sum.txt beside the archive, or ARCHIVE.md5, says of it, in small digits; empty where neither does.
std::string md5_beside(const std::string& archive);

/// True for 32 hexadecimal digits.
bool is_md5(std::string_view text);

}  // namespace shardmill::source
