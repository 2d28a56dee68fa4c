#include "repair/hashed_file.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "manifest/parity_header.hpp"

namespace shardmill::repair {

// The last `kParitySealBytes` are hashed apart: in a parity file they seal what is before them.
HashedFile hash_file(const std::string& path, base::Reporter& reporter) {
  base::File file = base::File::open_read(path);
  HashedFile hashed;
  hashed.bytes = file.size();
  const std::uint64_t sealed =
      hashed.bytes - std::min<std::uint64_t>(hashed.bytes, manifest::kParitySealBytes);
  std::vector<std::byte> step(kHashStepBytes);
  base::Sha256 hash;
  for (std::uint64_t offset = 0; offset < sealed;) {
    reporter.check_stop();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(step.size(), sealed - offset));
    const std::size_t got = file.read(std::span(step).first(wanted));
    if (got == 0) throw Error("became shorter while it was read", at(path));
    hash.update(std::span(step).first(got));
    offset += got;
  }
  const std::string seal = base::to_hex(hash.digest()) + "\n";
  const std::size_t got = file.read(std::span(step).first(manifest::kParitySealBytes));
  const auto rest = std::span<const std::byte>(step).first(got);
  hashed.is_sealed = std::ranges::equal(rest, base::as_bytes(seal));
  hash.update(rest);
  hashed.sha256 = base::to_hex(hash.digest());
  return hashed;
}

}  // namespace shardmill::repair
