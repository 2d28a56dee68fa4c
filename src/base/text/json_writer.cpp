#include "base/text/json_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/text/letters.hpp"

namespace shardmill::base {

namespace {

constexpr bool stands_for_itself(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

void append_escape(std::string& out, char32_t code_point) {
  switch (code_point) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("\\u{:04x}"), static_cast<unsigned>(code_point));
  }
}

bool must_be_escaped(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == '"' || c == '\\' || c == 0x2028 || c == 0x2029;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && stands_for_itself(text[plain])) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Step step = first_utf8(text);
    if (!step.valid) {
      out += "\xEF\xBF\xBD";
    } else if (must_be_escaped(step.code_point)) {
      append_escape(out, step.code_point);
    } else {
      out += text.substr(0, step.bytes);
    }
    text.remove_prefix(step.bytes);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void JsonWriter::new_line() {
  if (layout_ == Layout::indented) {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
}

void JsonWriter::begin_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) out_ += ',';
  if (depth_ > 0) new_line();
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  begin_value();
  out_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  out_ += bracket;
  first_ = depth_ == 0;  // the next value at the top is the next document
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  begin_value();
  append_json_string(out_, name);
  out_ += layout_ == Layout::indented ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view text) {
  begin_value();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  begin_value();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  begin_value();
  const std::size_t before = out_.size();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}"), number);
  // A reader that infers the type of a column must not see an integer in one line and a fraction in the next.
  if (out_.find_first_of(".e", before) == std::string::npos) out_ += ".0";
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  begin_value();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  begin_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::number(std::string_view text) {
  begin_value();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::unsigned_value(std::uint64_t number) {
  begin_value();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}"), number);
  return *this;
}

JsonWriter& JsonWriter::signed_value(std::int64_t number) {
  begin_value();
  fmt::format_to(std::back_inserter(out_), FMT_COMPILE("{}"), number);
  return *this;
}

}  // namespace shardmill::base
