// What publishers put beside their archives: the MD5 of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

/// What ARCHIVE.md5, md5sum.txt, md5sums.txt and MD5SUMS beside the archive say of it, in small digits; empty
/// where none does. Throws Error where they give it two.
std::string md5_beside(const std::string& archive);

/// The same of each volume of an archive that was cut; empty where a list has none. Empty if no list has any.
std::vector<std::string> volume_md5s_beside(const std::string& archive);

/// Those of these lists that are there and in which no line holds an MD5.
std::vector<std::string> lists_without_md5(const std::string& archive);

/// True for 32 hexadecimal digits.
bool is_md5(std::string_view text);

}  // namespace shardmill::source
