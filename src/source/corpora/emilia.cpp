// Emilia, unpacked: EN_B00000.jsonl, an object a line, and EN_B00000/EN_B00000_S00000/mp3/ID.mp3. Its
// WebDataset needs no reader of its own.
#include "base/text/letters.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

class Emilia final : public TreeTable {
 public:
  explicit Emilia(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "", .may_be_above = true}) {}

  Role role(std::string_view path) const override {
    if (is_audio_name(path)) return Role::audio;
    return path_part(path, 0).find("_B") != path.npos && path.ends_with(".jsonl") ? Role::text : Role::other;
  }
  /// "EN_B00000" for the ids that begin so; an archive of another name may hold any.
  Packed packed() const override { return Packed::anyhow; }
  std::string packed_name(std::string_view path) const override {
    return path_part(path, 0) == "mp3" ? std::string(path_part(path, 2)) : TreeTable::packed_name(path);
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    return packed_name.find("_B") == packed_name.npos || key.starts_with(std::string(packed_name) + "_");
  }

  void read_transcripts(const TreeText& text) override {
    base::JsonParser parser;
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const base::JsonValue object = parser.parse(line);
      if (!object.is_object()) throw Error("is not a JSON object");
      const auto wav = find_known(object, "wav");
      std::string id = wav ? stem_of(wav->text()) : std::string(object["id"].text());
      if (const auto own = find_known(object, "id"); own && own->text() != id)
        throw Error("has the id of another file than the one that 'wav' names");
      const std::string words(base::trimmed(object["text"].text()));
      // All other members are facts.
      const auto facts = read_sample_json(line, "text", {"id", "wav"});
      Row& row = add(std::move(id), words, text, number);
      row.seconds = seconds_in(object, "duration");
      row.facts.members(facts->facts);
    });
  }

 private:
  std::string listed_in(std::string_view audio) const override {
    const std::string id = stem_of(audio);
    return id.substr(0, id.find("_S")) + ".jsonl";
  }
  void describe(std::string_view, const Row*, TreeUtterance&) const override {}
};

}  // namespace

constinit const Corpus kEmilia{
    .prefix = "emilia",
    .name = "Emilia",
    .texts = "*/[A-Z][A-Z]_B[0-9]*.jsonl",
    .beside_texts = "*/[A-Z][A-Z]_B[0-9]*.mp3|*/[A-Z][A-Z]_B[0-9]*.tar.gz|*/[A-Z][A-Z]_B[0-9]*.tgz",
    .audio = "*/[A-Z][A-Z]_B[0-9]*_S[0-9]*/mp3/*_W[0-9]*.mp3",
    .needed = "EN_B00000.jsonl and its kind",
    .in_archive = "*/[A-Z][A-Z]_B[0-9]*.jsonl|*/[A-Z][A-Z]_B[0-9]*_S[0-9]*/mp3/*_W[0-9]*.mp3",
    .splits = Splits::none,
    .make = make_tree<Emilia>};

}  // namespace shardmill::source
