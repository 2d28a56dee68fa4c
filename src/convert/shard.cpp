#include "convert/shard.hpp"

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "codec/whole.hpp"
#include "convert/up_to_date.hpp"
#include "dataset/converted_record.hpp"
#include "pipeline/decode.hpp"

namespace shardmill::convert {

namespace {

bool is_whole(const ConvertedShard& shard, codec::Codec codec) {
  base::File result = base::File::open_read(shard.result);
  return codec::looks_whole(result, codec);
}

}  // namespace

codec::EncoderOptions format_of(const ConvertOptions& options) {
  return {.codec = options.codec, .level = options.level, .seekable = options.seekable, .plain_bytes = {}};
}

void convert_shard(ConvertedShard& shard, const ConvertOptions& options, pipeline::Workers& workers,
                   base::Reporter& reporter) {
  base::File source = base::File::open_read(shard.source);
  shard.source_bytes = source.size();
  ConvertedOrigin origin = wanted_origin(shard, options);
  const auto made = recorded_origin(shard, options);
  if (!options.force && is_up_to_date(shard, origin, made) && is_whole(shard, options.codec)) {
    shard.result_bytes = base::File::open_read(shard.result).size();
    shard.outcome = ConvertedShard::Outcome::up_to_date;
    reporter.progress().input_bytes += shard.source_bytes;
    return;
  }
  check_may_be_replaced(shard, origin, made, options);
  base::AtomicFile result(shard.result);
  const auto encoder = codec::make_encoder(format_of(options), [&](std::span<const std::byte> bytes) {
    result.write(bytes);
    reporter.progress().output_bytes += bytes.size();
  });
  const auto take = [&](std::span<const std::byte> bytes) {
    encoder->write(bytes);
    shard.plain_bytes += bytes.size();
    return true;
  };
  pipeline::decode(source, workers, reporter, take,
                   options.ignore_trailing ? pipeline::Trailing::ignored : pipeline::Trailing::damage);
  encoder->finish();
  // The record has no size until the new result is in place, so after a crash in between nothing looks up to
  // date.
  dataset::write_converted_record(options.out_folder, name_of(shard), to_text(origin));
  result.commit();
  const source::SourceFile written = status_of(shard.result);
  origin.result_bytes = shard.result_bytes = written.bytes;
  origin.result_mtime_ns = written.mtime_ns;
  dataset::write_converted_record(options.out_folder, name_of(shard), to_text(origin));
  shard.outcome = ConvertedShard::Outcome::converted;
}

}  // namespace shardmill::convert
