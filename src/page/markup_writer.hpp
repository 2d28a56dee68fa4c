// MarkupWriter: writes HTML and SVG that stay well-formed with any text in them.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::page {

/// `text` for use between tags or in a quoted attribute. Characters that could mislead browsers or people are
/// shown as \x0a or \u202e: control characters, characters that change the direction of writing, code points
/// that are not characters. Invalid UTF-8 becomes U+FFFD.
std::string escaped(std::string_view text);

/// `text` with at most `most_characters` characters: "…" replaces the middle of a longer one.
std::string shortened(std::string_view text, std::size_t most_characters);

/// `number` with at most two decimals: "12", "0.5", "33.33".
std::string coordinate(double number);

struct Attribute {
  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number> Attribute(std::string_view attribute,
                                                                          Number number)
      : name(attribute), value(coordinate(static_cast<double>(number))) {}

  std::string_view name;
  std::string value;
};

using Attributes = std::initializer_list<Attribute>;

/// Appends to a string that the caller owns. Names of tags and attributes are not escaped: they must be
/// literals, and live as long as the element is open. One thread at a time.
///
///   markup.open("p", {{"class", "lead"}}).text("a < b").close();      <p class="lead">a &lt; b</p>
class MarkupWriter {
 public:
  explicit MarkupWriter(std::string& out) : out_(out) {}

  MarkupWriter& open(std::string_view tag, Attributes attributes = {});
  /// Closes the element that was opened last.
  MarkupWriter& close();
  MarkupWriter& text(std::string_view text);
  /// An element that contains only a text.
  MarkupWriter& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  /// An element without content: "<rect .../>".
  MarkupWriter& empty(std::string_view tag, Attributes attributes = {});
  /// Adds markup without escaping. Only for text of the program itself: a document type, a style sheet.
  MarkupWriter& literal(std::string_view markup);

 private:
  void begin_tag(std::string_view tag, Attributes attributes);

  std::string& out_;
  std::vector<std::string_view> open_;
};

}  // namespace shardmill::page
