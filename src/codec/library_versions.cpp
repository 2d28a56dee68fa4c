#include "codec/library_versions.hpp"

#include "codec/bzip2/library.hpp"
#include "codec/gzip.hpp"
#include "codec/gzip/checksum.hpp"
#include "codec/lz4.hpp"
#include "codec/xz.hpp"
#include "codec/zstd.hpp"

namespace shardmill::codec {

base::LibraryVersions library_versions() {
  base::LibraryVersions versions{{"libbz2", libbz2_version()},
                                 {"liblz4", liblz4_version()},
                                 {"liblzma", liblzma_version()},
                                 {"libzstd", libzstd_version()},
                                 {"zlib", zlib_library_version()}};
  if (const auto isal = isal_library_version()) versions.emplace_back("libisal", *isal);
  return versions;
}

std::vector<std::pair<std::string, std::string>> missing_libraries() {
  if (isal_library_version()) return {};
  return {{"libisal", "gzip and parity take more time"}};
}

}  // namespace shardmill::codec
