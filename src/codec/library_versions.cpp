#include "codec/library_versions.hpp"

#include "codec/bzip2/library.hpp"
#include "codec/gzip.hpp"
#include "codec/gzip/checksum.hpp"
#include "codec/lz4.hpp"
#include "codec/xz.hpp"
#include "codec/zstd.hpp"

namespace shardmill::codec {

base::LibraryVersions library_versions() {
  return {{"libbz2", libbz2_version()},   {"libisal", isal_library_version()},
          {"liblz4", liblz4_version()},   {"liblzma", liblzma_version()},
          {"libzstd", libzstd_version()}, {"zlib", zlib_library_version()}};
}

}  // namespace shardmill::codec
