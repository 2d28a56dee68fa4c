#include "convert/origin.hpp"

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "manifest/seal.hpp"

namespace shardmill::convert {

namespace {

ConvertedOrigin read_fields(const base::JsonValue& json) {
  ConvertedOrigin origin{.source = std::string(json["source"].text()),
                         .source_bytes = json["source_bytes"].unsigned_integer(),
                         .source_mtime_ns = json["source_mtime_ns"].integer(),
                         .codec = std::string(json["codec"].text()),
                         .level = json["level"].integer(),
                         .seekable = json["seekable"].unsigned_integer(1) != 0,
                         .ignore_trailing = json["ignore_trailing"].unsigned_integer(1) != 0};
  if (const auto bytes = json.find("result_bytes")) origin.result_bytes = bytes->unsigned_integer();
  if (const auto mtime = json.find("result_mtime_ns")) origin.result_mtime_ns = mtime->integer();
  return origin;
}

}  // namespace

std::string to_text(const ConvertedOrigin& origin) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object().member("source", origin.source).member("source_bytes", origin.source_bytes);
  json.member("source_mtime_ns", origin.source_mtime_ns).member("codec", origin.codec);
  json.member("level", origin.level).member("seekable", std::uint64_t{origin.seekable});
  json.member("ignore_trailing", std::uint64_t{origin.ignore_trailing});
  if (origin.result_bytes) json.member("result_bytes", *origin.result_bytes);
  if (origin.result_mtime_ns) json.member("result_mtime_ns", *origin.result_mtime_ns);
  manifest::end_sealed(json, out);
  return out;
}

ConvertedOrigin origin_in(const std::string& text) {
  try {
    manifest::check_seal(text);
    base::JsonParser parser;
    return read_fields(parser.parse(text));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace shardmill::convert
