// SourceReader: one source file as units of work that can be decoded in parallel, then parsed in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "shardmill/base/error.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/base/reporter.hpp"
#include "shardmill/codec/codec.hpp"
#include "shardmill/model/sample.hpp"

namespace shardmill::pipeline {

/// What is decoded at once: a piece that is still to be prepared, or bytes that are plain already.
struct Unit {
  std::shared_ptr<codec::Piece> piece;
  Bytes plain;
  std::optional<Error> damage;         // found behind `plain`
  std::uint64_t compressed_bytes = 0;  // of the source file, the same in every run
  std::uint64_t memory_bytes = 0;      // held until the unit is done with, as far as known beforehand
  bool last = false;                   // the file ends here
};

class SourceReader {
 public:
  /// Throws Error when the file cannot be opened.
  SourceReader(const std::string& path, base::Reporter& reporter);

  /// The next unit; after the last one, none may be asked for. One thread at a time.
  Unit next();

  /// How many compressed streams the file is made of, once all its units are parsed.
  std::uint64_t streams() const { return pieces_->streams(); }

 private:
  Unit next_independent();
  Unit next_chained();

  base::File file_;
  std::unique_ptr<codec::PieceReader> pieces_;
  bool chained_;  // a piece can only be decoded when the one before it was read
  std::unique_ptr<codec::Piece> current_;
};

}  // namespace shardmill::pipeline
