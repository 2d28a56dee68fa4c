// The text files of corpora as their publishers pack them: the prefix of a corpus, the path of a text, its
// lines, and the path of an audio file, with a byte 0x1e between them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "source/corpora.hpp"

namespace {

using namespace shardmill;

std::string_view take(std::string_view& text) {
  const std::size_t end = text.find('\x1e');
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

void check(const source::TreeUtterance& utterance) {
  base::JsonParser parser;
  const std::string members = utterance.members();
  if (members.find('\n') != std::string::npos) std::abort();
  parser.parse("{" + members + "}");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const source::Corpus* known = source::corpus_with_prefix(take(text));
  if (known == nullptr || !known->is_tree()) return 0;
  const auto corpus = known->make({});
  const std::string path(take(text));
  const std::string content(take(text));
  const std::string audio(take(text));
  try {
    corpus->role(path);
    if (corpus->role(path) == source::TreeCorpus::Role::text)
      corpus->read({.path = path, .place = "text", .content = content});
    corpus->awaited(path);
    corpus->all_read();
    if (corpus->role(audio) == source::TreeCorpus::Role::audio) {
      const auto found = corpus->find(audio);
      if (!found) std::abort();
      for (const source::TreeUtterance& utterance : *found) check(utterance);
    }
    corpus->report_rest([](const source::LostAudio&) {});
  } catch (const Error&) {
  }
  return 0;
}
