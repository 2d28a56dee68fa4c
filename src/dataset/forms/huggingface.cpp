// Hugging Face: the card of the dataset, with the features that load_dataset reads, and its description as
// Croissant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/sample_record.hpp"
#include "shard/plain_walk.hpp"

namespace shardmill::dataset {

namespace {

using base::JsonWriter;

constexpr std::string_view kCroissant = "croissant.json";

struct CardFacts {
  std::set<std::string> extensions;  // of the members
  std::set<std::string> audio_extensions;
  std::set<std::string> datasets;
  std::set<std::string> languages;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::string manifest_sha256;  // of the file of all samples
};

void look_into_shards(const FormWork& work, CardFacts& facts) {
  std::mutex mutex;
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    work.reporter.check_stop();
    std::set<std::string> extensions;
    for (const ShardLayout::Sample& sample :
         shard::layout_of(base::File::open_read(work.shards[i].path)).samples) {
      for (const ShardLayout::Member& member : sample.members) extensions.insert(member.extension);
    }
    const std::lock_guard lock(mutex);
    facts.extensions.merge(extensions);
  });
}

/// A code of ISO 639, as the card wants it; other names of languages are left out.
bool is_language_code(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return (name.size() == 2 || name.size() == 3) && std::all_of(name.begin(), name.end(), is_letter);
}

void read_manifests(const std::vector<ShardToIndex>& shards, base::Reporter& reporter, CardFacts& facts) {
  base::JsonParser parser;
  manifest::SampleRecord record;
  base::Sha256 hash;
  for (const ShardToIndex& shard : shards) {
    reporter.check_stop();
    base::LineReader lines(shard.manifest);
    for (std::string_view line; lines.next(line);) {
      try {
        const base::JsonValue json = parser.parse(line);
        read_record(json, record);
        const std::string language = fact_text(json, manifest::language_field(json));
        if (is_language_code(language)) facts.languages.insert(language);
      } catch (const Error& error) {
        throw lines.here(error);
      }
      hash.update(base::as_bytes(line));
      if (lines.line_was_ended()) hash.update(base::as_bytes("\n"));
      facts.audio_extensions.insert(
          record.audio_filepath.substr(std::min(record.audio_filepath.size(), record.key.size() + 1)));
      facts.datasets.insert(record.dataset);
      facts.seconds += record.duration_seconds;
      ++facts.samples;
    }
  }
  facts.manifest_sha256 = base::to_hex(hash.digest());
}

/// "shards/audio_*.tar"
std::string pattern_of(const std::vector<ShardToIndex>& shards) {
  const std::string& name = shards.front().name;
  return name.substr(0, name.rfind('_') + 1) + "*.tar";
}

/// What load_dataset makes of a member that is not audio. It has the type json since version 4.7.
std::optional<std::string_view> type_of_member(std::string_view extension) {
  const std::string_view last = extension.substr(extension.rfind('.') + 1);
  if (last == "txt" || last == "text" || last == "transcript") return "string";
  if (last == "json" || last == "jsn") return "json";
  return std::nullopt;
}

/// Without features load_dataset guesses them from five samples, and stops where these differ in kind. With
/// members of a kind that only their readers know, it must guess.
std::string features_of(const CardFacts& facts) {
  std::string text = "dataset_info:\n  features:\n";
  for (const std::string& extension : facts.extensions) {
    const auto type = facts.audio_extensions.contains(extension) ? std::optional<std::string_view>("audio")
                                                                 : type_of_member(extension);
    if (!type) return {};
    text += fmt::format("  - name: {}\n    dtype: {}\n", base::json_string(extension), *type);
  }
  return text + "  - name: __key__\n    dtype: string\n  - name: __url__\n    dtype: string\n";
}

std::string size_category(std::uint64_t samples) {
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 8> kCategories{
      {{1'000, "n<1K"},
       {10'000, "1K<n<10K"},
       {100'000, "10K<n<100K"},
       {1'000'000, "100K<n<1M"},
       {10'000'000, "1M<n<10M"},
       {100'000'000, "10M<n<100M"},
       {1'000'000'000, "100M<n<1B"},
       {UINT64_MAX, "n>1B"}}};
  return std::string(std::find_if(kCategories.begin(), kCategories.end(), [&](const auto& category) {
                       return samples < category.first;
                     })->second);
}

std::string card_text(const CardFacts& facts, const std::string& pattern, std::size_t shards) {
  const std::string title = fmt::format("{}", fmt::join(facts.datasets, ", "));
  std::string text(kCardStart);
  text += fmt::format("pretty_name: {}\n", base::json_string(title));
  if (!facts.languages.empty()) text += "language:\n";
  for (const std::string& language : facts.languages)
    text += fmt::format("- {}\n", base::json_string(language));
  text += "task_categories:\n- automatic-speech-recognition\nsize_categories:\n";
  text += fmt::format("- {}\n", size_category(facts.samples));
  text += "configs:\n- config_name: default\n  data_files:\n  - split: train\n";
  text += fmt::format("    path: {}\n", base::json_string(pattern));
  text += features_of(facts);
  text += fmt::format("---\n\n# {}\n\n", printable(title));
  text += fmt::format(
      "{} samples, {:.2f} hours, in {} shards (`{}`). `tarred_audio_manifest.json` has a line for each\n"
      "sample.\n",
      facts.samples, facts.seconds / 3600, shards, pattern);
  return text;
}

/// The context that Croissant 1.0 prescribes, with all names that its validator knows.
constexpr std::string_view kCroissantContext =
    R"({"@language":"en","@vocab":"https://schema.org/","citeAs":"cr:citeAs","column":"cr:column",)"
    R"("conformsTo":"dct:conformsTo","cr":"http://mlcommons.org/croissant/",)"
    R"("rai":"http://mlcommons.org/croissant/RAI/","data":{"@id":"cr:data","@type":"@json"},)"
    R"("dataType":{"@id":"cr:dataType","@type":"@vocab"},"dct":"http://purl.org/dc/terms/",)"
    R"("equivalentProperty":"cr:equivalentProperty","examples":{"@id":"cr:examples","@type":"@json"},)"
    R"("extract":"cr:extract","field":"cr:field","fileProperty":"cr:fileProperty",)"
    R"("fileObject":"cr:fileObject","fileSet":"cr:fileSet","format":"cr:format",)"
    R"("includes":"cr:includes","isLiveDataset":"cr:isLiveDataset","jsonPath":"cr:jsonPath",)"
    R"("key":"cr:key","md5":"cr:md5","parentField":"cr:parentField","path":"cr:path",)"
    R"("recordSet":"cr:recordSet","references":"cr:references","regex":"cr:regex",)"
    R"("repeated":"cr:repeated","replace":"cr:replace","samplingRate":"cr:samplingRate",)"
    R"("sc":"https://schema.org/","separator":"cr:separator","source":"cr:source",)"
    R"("subField":"cr:subField","transform":"cr:transform"})";

void append_file(JsonWriter& json, std::string_view name, std::string_view form, std::string_view sha256) {
  json.begin_object().member("@type", "cr:FileObject").member("@id", name).member("name", name);
  json.member("contentUrl", name).member("encodingFormat", form).member("sha256", sha256).end_object();
}

void append_field(JsonWriter& json, std::string_view column, std::string_view type) {
  json.begin_object().member("@type", "cr:Field");
  json.member("@id", fmt::format("samples/{}", column)).member("name", column).member("dataType", type);
  json.key("source").begin_object().key("fileObject").begin_object();
  json.member("@id", manifest::kAllSamples).end_object();
  json.key("extract").begin_object().member("column", column).end_object().end_object().end_object();
}

std::string croissant_text(const CardFacts& facts, const std::vector<ShardToIndex>& shards) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().members(fmt::format("\"@context\":{}", kCroissantContext));
  json.member("@type", "sc:Dataset").member("name", fmt::format("{}", fmt::join(facts.datasets, "-")));
  json.member("description",
              fmt::format("{} samples of speech, {:.2f} hours", facts.samples, facts.seconds / 3600));
  json.member("conformsTo", "http://mlcommons.org/croissant/1.0").key("distribution").begin_array();
  append_file(json, manifest::kAllSamples, "application/jsonlines", facts.manifest_sha256);
  for (const ShardToIndex& shard : shards) append_file(json, shard.name, "application/x-tar", shard.sha256);
  for (const std::string& extension : facts.audio_extensions) {
    json.begin_object().member("@type", "cr:FileSet").member("@id", fmt::format("audio-{}", extension));
    json.member("name", fmt::format("audio-{}", extension)).key("containedIn").begin_array();
    for (const ShardToIndex& shard : shards) json.begin_object().member("@id", shard.name).end_object();
    json.end_array().member("encodingFormat", fmt::format("audio/{}", extension));
    json.member("includes", fmt::format("*.{}", extension)).end_object();
  }
  json.end_array().key("recordSet").begin_array().begin_object();
  json.member("@type", "cr:RecordSet").member("@id", "samples").member("name", "samples");
  json.key("field").begin_array();
  append_field(json, "key", "sc:Text");
  append_field(json, "text", "sc:Text");
  append_field(json, "duration", "sc:Float");
  append_field(json, "audio_filepath", "sc:Text");
  append_field(json, "shard_id", "sc:Integer");
  append_field(json, "dataset", "sc:Text");
  json.end_array().end_object().end_array().end_object();
  return text + '\n';
}

void write_card(const FormWork& work, WrittenIndexes& written) {
  CardFacts facts;
  look_into_shards(work, facts);
  read_manifests(work.shards, work.reporter, facts);
  const std::string card = card_text(facts, pattern_of(work.shards), work.shards.size());
  written.files.push_back(write_whole(work.folder, std::string(kCard), card));
  written.files.push_back(
      write_whole(work.folder, std::string(kCroissant), croissant_text(facts, work.shards)));
}

}  // namespace

LoaderForm huggingface_form() {
  return {.name = "huggingface",
          .help = "README.md with the features for load_dataset, and croissant.json",
          .sign = kCroissant,
          .users_too = kCard,
          .users_head = kCardStart,
          .owns = [](std::string_view file) { return file == kCard || file == kCroissant; },
          .files =
              [](const auto&, const auto&) {
                return std::vector{std::string(kCard), std::string(kCroissant)};
              },
          .write = write_card};
}

}  // namespace shardmill::dataset
