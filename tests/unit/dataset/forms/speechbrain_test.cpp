// Checks the lists as SpeechBrain reads them, with Python's json and csv.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dataset/forms/written_form.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;

constexpr auto kText = " {0} \"quoted\", comma\nline é ";

manifest::SampleRecord listed_record(const std::string& speaker = {}) {
  manifest::SampleRecord record;
  record.key = "k\"1";
  record.dataset = "a";
  record.audio_filepath = "k.wav";
  record.duration_seconds = 1.25;
  record.tar_offset = 1536;
  record.audio_bytes = 40044;
  record.text = kText;
  record.facts = speaker.empty() ? "" : R"("speaker":")" + speaker + "\"";
  return record;
}

TEST(SpeechbrainForm, SpeechBrainsJsonSurvivesStrFormat) {
  const TemporaryFolder folder;
  testing::WrittenForm form("speechbrain");
  form.write_records({listed_record("s{p}k")});
  const std::string path = form.file("speechbrain.json");
  // DynamicItemDataset.from_json() puts every text through format(**replacements).
  const std::string script = folder.write("read.py",
                                          "import json, sys\n"
                                          "[(key, item)] = json.load(open(sys.argv[1])).items()\n"
                                          "for name in item:\n"
                                          "  if isinstance(item[name], str):\n"
                                          "    item[name] = item[name].format(data_root='/d')\n"
                                          "print(json.dumps([key, item]))\n");
  const auto read = nlohmann::json::parse(command_output("/usr/bin/python3 " + script + " " + path));
  EXPECT_EQ(read[0], "k\"1");
  EXPECT_EQ(read[1], (nlohmann::json{{"duration", 1.25},
                                     {"wav", "/d/shards/a.tar"},
                                     {"wav_offset", 1536},
                                     {"wav_bytes", 40044},
                                     {"spk_id", "s{p}k"},
                                     {"wrd", kText}}));
}

TEST(SpeechbrainForm, SpeechBrainsTableReadsBackWithPythonsCsv) {
  const TemporaryFolder folder;
  manifest::SampleRecord bare = listed_record();
  bare.text.reset();
  testing::WrittenForm form("speechbrain");
  form.write_records({listed_record("s,p"), bare});
  const std::string path = form.file("speechbrain.csv");
  const std::string script =
      folder.write("read.py",
                   "import csv, json, sys\n"
                   "file = open(sys.argv[1], newline='')\n"
                   "print(json.dumps(list(csv.DictReader(file, skipinitialspace=True))))\n");
  const auto rows = nlohmann::json::parse(command_output("/usr/bin/python3 " + script + " " + path));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (nlohmann::json{{"ID", "k\"1"},
                                     {"duration", "1.25"},
                                     {"wav", "$data_root/shards/a.tar"},
                                     {"wav_offset", "1536"},
                                     {"wav_bytes", "40044"},
                                     {"spk_id", "s,p"},
                                     {"wrd", kText}}));
  EXPECT_EQ(rows[1]["wrd"], "");
}

TEST(SpeechbrainForm, SpeechBrainsTableKeepsCommasQuotesAndBlanks) {
  manifest::SampleRecord record = listed_record();
  record.key = "k,1";
  record.text = " he said \"no\", {twice}";
  testing::WrittenForm form("speechbrain");
  form.write_records({record});
  EXPECT_EQ(form.read("speechbrain.csv"),
            "ID,duration,wav,wav_offset,wav_bytes,spk_id,wrd\n"
            "\"k,1\",1.25,$data_root/shards/a.tar,1536,40044,\"\",\" he said \"\"no\"\", {twice}\"\n");
}

}  // namespace
}  // namespace shardmill::dataset
