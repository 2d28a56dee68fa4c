#include "shardmill/codec/library_versions.hpp"

#include "shardmill/codec/bzip2_library.hpp"
#include "shardmill/codec/gzip.hpp"
#include "shardmill/codec/lz4.hpp"
#include "shardmill/codec/xz.hpp"
#include "shardmill/codec/zstd.hpp"

namespace shardmill::codec {

base::LibraryVersions library_versions() {
  return {{"libbz2", libbz2_version()},
          {"liblz4", liblz4_version()},
          {"liblzma", liblzma_version()},
          {"libzstd", libzstd_version()},
          {"zlib", zlib_library_version()}};
}

}  // namespace shardmill::codec
