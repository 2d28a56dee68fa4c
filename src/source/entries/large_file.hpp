// LargeFile: a file of an archive that is too large for memory, on its way into the scratch space.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/io/file.hpp"
#include "source/scratch_space.hpp"

namespace shardmill::source {

/// Its functions throw Error and FatalError as ScratchSpace does. One thread at a time.
class LargeFile {
 public:
  /// `promised_bytes` of the space are taken at once; 0 when the size is not known.
  explicit LargeFile(std::shared_ptr<ScratchSpace> space, std::uint64_t promised_bytes = 0);
  LargeFile(LargeFile&& other) noexcept;
  LargeFile& operator=(LargeFile&&) = delete;
  LargeFile(const LargeFile&) = delete;
  LargeFile& operator=(const LargeFile&) = delete;
  ~LargeFile();

  void add(std::span<const std::byte> bytes);

  /// The file, and how many bytes of the space it goes on taking.
  std::pair<base::File, std::uint64_t> end() &&;

 private:
  std::shared_ptr<ScratchSpace> space_;
  base::File file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace shardmill::source
