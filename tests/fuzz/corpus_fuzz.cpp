// The text files of raw corpora: whatever they hold is an Error or a corpus that makes sense.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "source/corpora.hpp"
#include "source/corpora/list.hpp"

namespace {

using namespace shardmill;

/// A folder for the files of an input, which is removed when the target ends.
class Folder {
 public:
  Folder() {
    if (::mkdtemp(path_.data()) == nullptr) throw system_error("cannot make", path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_, ignored_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "corpus_fuzz_XXXXXX";
  std::error_code ignored_;
};

const std::string& folder() {
  static const Folder folder;
  return folder.path();
}

void write(const std::string& path, std::string_view text) {
  base::File file = base::File::create(path);
  file.write(base::as_bytes(text));
  file.close();
}

source::CorpusFiles read(const source::Corpus& corpus, const std::string& path) {
  try {
    return source::read_corpus(corpus, path, {.allow_commands = true});
  } catch (const Error&) {
    return {};
  }
}

void check(const source::CorpusFiles& files) {
  base::JsonParser parser;
  for (const source::SourceFile& file : files.audio) {
    if (file.path.empty() || file.utterances.empty()) std::abort();
    for (const source::CorpusUtterance& utterance : file.utterances) {
      if (!(utterance.begin_seconds >= 0 && utterance.begin_seconds < utterance.end_seconds)) std::abort();
      if (utterance.facts.find('\n') != std::string_view::npos) std::abort();
      parser.parse("{" + std::string(utterance.facts) + "}");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::string_view, 7> kKaldi{"wav.scp", "segments", "text",      "utt2spk",
                                                   "utt2dur", "utt2lang", "spk2gender"};
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("://") != text.npos) return 0;  // the corpora would ask a server for it, again and again
  write(folder() + "/a.wav", "x");
  write(folder() + "/audio_0.tar", "x");
  write(folder() + "/lines", text);
  check(read(source::kWenet, folder() + "/lines"));
  check(read(source::kNemo, folder() + "/lines"));
  check(read(source::kLhotse, folder() + "/lines"));
  for (const std::string_view name : kKaldi) {
    const std::size_t end = text.find('\x1e');
    write(folder() + "/" + std::string(name), text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  check(read(source::kKaldi, folder()));
  return 0;
}
