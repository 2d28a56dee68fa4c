#include "codec/xz/problem.hpp"

#include <fmt/format.h>
#include <lzma.h>

namespace shardmill::codec {

XzProblem xz_problem(int status, std::uint64_t needed_bytes) {
  switch (status) {
    case LZMA_OK:
    case LZMA_STREAM_END:
    case LZMA_BUF_ERROR:  // nothing to do with so little input or room: the caller sees that
      return {};
    case LZMA_MEMLIMIT_ERROR:
      return {.text = fmt::format("needs {} MiB of memory to be decoded by xz, more than the limit of {} MiB",
                                  (needed_bytes >> 20) + 1, kXzMemoryLimitBytes >> 20),
              .advice = "compress it again with a smaller dictionary, xz -9 or less"};
    case LZMA_UNSUPPORTED_CHECK:
      return {.text = "carries an xz integrity check of a kind that cannot be verified", .advice = {}};
    case LZMA_OPTIONS_ERROR:
      return {.text = "damaged xz data, or options that this version of liblzma does not know", .advice = {}};
    default:
      return {.text = "damaged xz data", .advice = {}};
  }
}

}  // namespace shardmill::codec
