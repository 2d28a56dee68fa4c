#include "pipeline/decode.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "archive/tar_header.hpp"
#include "base/io/file_watch.hpp"
#include "pipeline/ordered.hpp"
#include "shard/tar_input.hpp"

namespace shardmill::pipeline {

namespace {

// What a bzip2 block takes, compressed and plain. Ordinary files have no larger piece.
constexpr std::uint64_t kPieceBytes = 3 << 20;

/// Tells a plain tar from a compressed file whose first bytes are damaged: that looks plain, but no tar
/// begins there.
void check_begins_tar(std::span<const std::byte> first, const std::string& path) {
  if (first.size() >= archive::kTarBlockBytes) {
    const auto block = first.first<archive::kTarBlockBytes>();
    if (archive::is_zero(block) || archive::read_header(block)) return;
  }
  throw Error("is neither a tar nor compressed in a way that is known", Where{.path = path, .offset = 0});
}

}  // namespace

void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink,
            Trailing trailing) {
  using PiecePointer = std::unique_ptr<codec::Piece>;
  const base::FileWatch watch(file);
  codec::TrailingSink on_trailing;
  if (trailing == Trailing::ignored) on_trailing = [&](const Error& warning) { reporter.warn(warning); };
  const auto reader = shard::open_tar(file, std::move(on_trailing));
  ByteBudget budget(workers.memory_share());

  bool at_start = true;
  std::atomic<bool> wanted = true;
  const auto cut = [&]() -> std::optional<Costly<PiecePointer>> {
    reporter.check_stop();
    auto piece = wanted ? reader->next() : nullptr;
    if (!piece) return std::nullopt;
    const std::uint64_t bytes = piece->memory_bytes();
    return Costly<PiecePointer>{.item = std::move(piece), .bytes = bytes};
  };
  const auto deliver = [&](const PiecePointer& piece) {
    bool unchecked = std::exchange(at_start, false) && reader->is_plain();
    while (wanted) {
      const auto bytes = piece->read();
      if (bytes.empty()) break;
      if (std::exchange(unchecked, false)) check_begins_tar(bytes, file.path());
      wanted = sink(bytes);
    }
    reporter.progress().input_bytes += piece->compressed_bytes();
  };
  try {
    run_ordered<PiecePointer>({.items = workers.items_in_flight(kPieceBytes), .budget = budget}, workers, cut,
                              on_all_threads([](const PiecePointer& piece) { piece->prepare(); }),
                              in_order(deliver));
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error&) {
    watch.check();  // a file that somebody is writing looks damaged
    throw;
  }
  if (wanted) watch.check();
  if (at_start) throw Error("is empty: zero bytes", at(file.path()), "an empty file is no shard");
}

}  // namespace shardmill::pipeline
