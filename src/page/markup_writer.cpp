#include "page/markup_writer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text/letters.hpp"

namespace shardmill::page {

namespace {

bool is_shown_by_number(char32_t code_point) {
  const auto within = [code_point](char32_t first, char32_t last) {
    return code_point >= first && code_point <= last;
  };
  return code_point < 0x20 || within(0x7F, 0x9F) || code_point == 0xAD || within(0x200B, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2060, 0x206F) || code_point == 0xFEFF || within(0xFDD0, 0xFDEF) ||
         (code_point & 0xFFFE) == 0xFFFE;
}

void append(std::string& out, const base::Utf8Step& step, std::string_view bytes) {
  switch (step.code_point) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      break;
  }
  if (!step.valid) {
    out += "\uFFFD";
  } else if (is_shown_by_number(step.code_point)) {
    const auto number = static_cast<unsigned>(step.code_point);
    out += number < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
  } else {
    out += bytes;
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const base::Utf8Step step = base::first_utf8(text);
    append(out, step, text.substr(0, step.bytes));
    text.remove_prefix(step.bytes);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most_characters) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size(); at += base::first_utf8(text.substr(at)).bytes) {
    begins.push_back(at);
  }
  if (begins.size() <= most_characters) return std::string(text);
  const std::size_t front = most_characters / 2;
  const std::size_t back = most_characters - front - 1;
  return std::string(text.substr(0, begins[front])) + "…" +
         std::string(text.substr(begins[begins.size() - back]));
}

std::string coordinate(double number) {
  std::string text = fmt::format("{:.2f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

void MarkupWriter::begin_tag(std::string_view tag, Attributes attributes) {
  out_.append("<").append(tag);
  for (const Attribute& attribute : attributes) {
    out_.append(" ").append(attribute.name).append("=\"").append(escaped(attribute.value)).append("\"");
  }
}

MarkupWriter& MarkupWriter::open(std::string_view tag, Attributes attributes) {
  begin_tag(tag, attributes);
  out_ += '>';
  open_.push_back(tag);
  return *this;
}

MarkupWriter& MarkupWriter::close() {
  out_.append("</").append(open_.back()).append(">");
  // Break lines only in elements in which white space has no meaning.
  if (open_.back() != "b" && open_.back() != "code" && open_.back() != "span") out_ += '\n';
  open_.pop_back();
  return *this;
}

MarkupWriter& MarkupWriter::text(std::string_view text) {
  out_ += escaped(text);
  return *this;
}

MarkupWriter& MarkupWriter::element(std::string_view tag, std::string_view text, Attributes attributes) {
  return open(tag, attributes).text(text).close();
}

MarkupWriter& MarkupWriter::empty(std::string_view tag, Attributes attributes) {
  begin_tag(tag, attributes);
  out_ += "/>";
  return *this;
}

MarkupWriter& MarkupWriter::literal(std::string_view markup) {
  out_ += markup;
  return *this;
}

}  // namespace shardmill::page
