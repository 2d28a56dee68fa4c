#include "convert/cat.hpp"

#include "pipeline/decode.hpp"
#include "pipeline/member_finder.hpp"

namespace shardmill::convert {

namespace {

base::File open_shard(const std::string& path) {
  return path == "-" ? base::File::standard_input() : base::File::open_stream(path);
}

pipeline::Trailing trailing_of(const CatOptions& options) {
  return options.ignore_trailing ? pipeline::Trailing::ignored : pipeline::Trailing::damage;
}

CatSummary copy_tar(const CatOptions& options, base::File& shard, base::File& out, pipeline::Workers& workers,
                    base::Reporter& reporter) {
  CatSummary summary;
  const auto take = [&](std::span<const std::byte> bytes) {
    out.write(bytes);
    summary.bytes += bytes.size();
    return true;
  };
  pipeline::decode(shard, workers, reporter, take, trailing_of(options));
  return summary;
}

CatSummary copy_member(const CatOptions& options, base::File& shard, base::File& out,
                       pipeline::Workers& workers, base::Reporter& reporter) {
  pipeline::MemberFinder finder(options.member);
  const auto take = [&](std::span<const std::byte> bytes) {
    finder.feed(bytes);
    return !finder.decided();
  };
  pipeline::decode(shard, workers, reporter, take, trailing_of(options));
  finder.finish();
  const archive::TarMember& member = finder.found(options.shard);
  out.write(member.bytes);
  return {.bytes = member.bytes.size()};
}

}  // namespace

CatSummary run_cat(const CatOptions& options, base::File& out, pipeline::Workers& workers,
                   base::Reporter& reporter) {
  base::File shard = open_shard(options.shard);
  return options.member.empty() ? copy_tar(options, shard, out, workers, reporter)
                                : copy_member(options, shard, out, workers, reporter);
}

}  // namespace shardmill::convert
