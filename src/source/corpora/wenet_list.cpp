// WeNet's lists of raw audio: a JSON object a line, with key, wav, txt, and start and end of segments.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "source/corpora/list.hpp"
#include "source/labels/label_times.hpp"
#include "source/source_file.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

/// Members that WeNet does not know become facts.
void read_wenet_list(const std::string& path, const CorpusOptions&, CorpusBuilder& builder) {
  constexpr std::array<std::string_view, 5> kKnown{"key", "wav", "txt", "start", "end"};
  Facts facts;
  NamedPaths paths(path);
  for_each_json_line(
      path, builder, BadLines::unusable, [&](const base::JsonValue& object, const CorpusText& text) {
        CorpusBuilder::Utterance utterance{
            .key = object["key"].text(), .named_in = path, .line = text.line_number()};
        if (utterance.key.empty()) throw Error("has an empty key");
        if (const auto txt = find_known(object, "txt")) utterance.text = txt->text();
        if (const auto start = find_known(object, "start")) utterance.begin_seconds = start->number();
        if (const auto end = find_known(object, "end")) {
          utterance.end_seconds = end->number();
          utterance.seconds = utterance.end_seconds - utterance.begin_seconds;
        }
        if (const auto other = columns_of_other_times(object, utterance.begin_seconds, utterance.end_seconds);
            !other.empty())
          throw Error(fmt::format(
              "has times in {}, and a list of WeNet has them in start and end: table:FILE reads others",
              other));
        facts.clear();
        for (const auto& [name, value] : object.members()) {
          if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) facts.json(name, value.line());
        }
        utterance.facts = facts.members();
        const std::string audio = paths.resolve(path_from(object["wav"]));
        builder.utterance(builder.recording(SourceKind::recording, audio, line_of(path, text.line_number())),
                          utterance);
      });
}

}  // namespace

constinit const Corpus kWenet{
    .prefix = "wenet",
    .name = "a list of WeNet",
    .fits_line = [](const base::JsonValue& first) { return first.find("key") && first.find("wav"); },
    .is_folder = false,
    .read = read_wenet_list};

}  // namespace shardmill::source
