// MarkupWriter: HTML and SVG that are well-formed and hold every text as text, however hostile it is.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::page {

/// `text` for between tags or in a quoted attribute. What browsers or people could take for something else
/// (control characters, what turns the direction of writing, what is no character) is shown as \x0a or
/// \u202e; what is not UTF-8 becomes U+FFFD.
std::string escaped(std::string_view text);

/// At most `most_characters`: where there are more, some in the middle give way to "…".
std::string shortened(std::string_view text, std::size_t most_characters);

/// With two decimals at most: "12", "0.5", "33.33".
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

/// Appends to a string that the caller owns. Names of tags and attributes are taken as they are: they must be
/// literals, and live as long as the element is open. One thread at a time.
///
///   markup.open("p", {{"class", "lead"}}).text("a < b").close();      <p class="lead">a &lt; b</p>
class MarkupWriter {
 public:
  explicit MarkupWriter(std::string& out) : out_(out) {}

  MarkupWriter& open(std::string_view tag, Attributes attributes = {});
  /// Ends the element that was opened last.
  MarkupWriter& close();
  MarkupWriter& text(std::string_view text);
  /// An element that holds a text and nothing else.
  MarkupWriter& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  /// An element without content: "<rect .../>".
  MarkupWriter& empty(std::string_view tag, Attributes attributes = {});
  /// For what the program itself brings along: a document type, a style sheet.
  MarkupWriter& literal(std::string_view markup);

 private:
  void begin_tag(std::string_view tag, Attributes attributes);

  std::string& out_;
  std::vector<std::string_view> open_;
};

}  // namespace shardmill::page
