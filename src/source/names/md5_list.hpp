// What publishers put beside their archives: the MD5 of each.
#pragma once

#include <string>
#include <string_view>

namespace shardmill::source {

/// What ARCHIVE.md5, or md5sum.txt, md5sums.txt or MD5SUMS beside the archive, says of it, in small digits;
/// empty where neither does. Throws Error where a list gives it two.
std::string md5_beside(const std::string& archive);

/// True for 32 hexadecimal digits.
bool is_md5(std::string_view text);

}  // namespace shardmill::source
