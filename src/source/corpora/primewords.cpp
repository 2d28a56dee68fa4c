// Primewords: set1_transcript.json, an array of file, user_id and text, and audio_files/0/00/ID.wav.
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Primewords final : public TreeTable {
 public:
  explicit Primewords(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "", .covers = TableFiles::Covers::corpus}) {}

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path.ends_with("_transcript.json") ? Role::text : Role::other;
  }

  void read_transcripts(const TreeText& text) override {
    for_each_json_element(text, {}, [&](const base::JsonValue& element) {
      Row& row = add(stem_of(element["file"].text()), element["text"].text(), text);
      const auto user = element.find("user_id");
      if (user && !user->is_null()) row.speaker = text_of(*user);
    });
  }

 private:
  /// A number or a text, as it stands.
  static std::string text_of(const base::JsonValue& value) {
    std::string line = value.line();
    return line.starts_with('"') ? std::string(value.text()) : line;
  }

  void describe(std::string_view, const Row*, TreeUtterance&) const override {}
};

}  // namespace

constinit const Corpus kPrimewords{.prefix = "primewords",
                                   .name = "Primewords",
                                   .texts = "*/set[0-9]_transcript.json",
                                   .needed = "set1_transcript.json",
                                   .in_archive = "*/set[0-9]_transcript.json|*/primewords_*.wav",
                                   .splits = Splits::none,
                                   .make = make_tree<Primewords>};

}  // namespace shardmill::source
