// The rows of a Parquet file as the bytes of a tar: KEY.txt, KEY.json and KEY.wav for each.
#pragma once

#include <memory>

#include "base/io/file.hpp"
#include "codec/piece.hpp"

namespace shardmill::shard {

/// KEY.txt is the transcript, if there is a column of that; KEY.json has all columns but those of bytes. The
/// extension of the audio is that of its content. A row whose audio is null has no member for it.
///
/// A piece is one page of the column of audio, or several small ones, and the rows in them. After damage in a
/// page the next page goes on; after damage in another column the rest of its group of rows is lost.
///
/// Throws Error, with the place, if the footer is damaged or no column holds audio.
std::unique_ptr<codec::PieceReader> open_parquet(const base::File& file, const codec::RestartPoint& from);

}  // namespace shardmill::shard
