// Checks the lists as SpeechBrain and Amphion read them, with Python's json and csv.
#include "manifest/recipe_list.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;

constexpr auto kText = " {0} \"quoted\", comma\nline é ";

SampleRecord listed_record() {
  SampleRecord record;
  record.key = "k\"1";
  record.dataset = "a";
  record.audio_filepath = "k.wav";
  record.duration_seconds = 1.25;
  record.tar_offset = 1536;
  record.audio_bytes = 40044;
  record.text = kText;
  return record;
}

TEST(RecipeList, SpeechBrainsJsonSurvivesStrFormat) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("list.json", "{" + speechbrain_entry(listed_record(), "shards/a.tar", "s{p}k") + "}");
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

TEST(RecipeList, SpeechBrainsTableReadsBackWithPythonsCsv) {
  const TemporaryFolder folder;
  SampleRecord bare = listed_record();
  bare.text.reset();
  const std::string path = folder.write("list.csv", std::string(kSpeechBrainColumns) +
                                                        speechbrain_row(listed_record(), "a.tar", " s,p ") +
                                                        speechbrain_row(bare, "a.tar", ""));
  const std::string script =
      folder.write("read.py",
                   "import csv, json, sys\n"
                   "file = open(sys.argv[1], newline='')\n"
                   "print(json.dumps(list(csv.DictReader(file, skipinitialspace=True))))\n");
  const auto rows = nlohmann::json::parse(command_output("/usr/bin/python3 " + script + " " + path));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (nlohmann::json{{"ID", "k\"1"},
                                     {"duration", "1.25"},
                                     {"wav", "$data_root/a.tar"},
                                     {"wav_offset", "1536"},
                                     {"wav_bytes", "40044"},
                                     {"spk_id", " s,p "},
                                     {"wrd", kText}}));
  EXPECT_EQ(rows[1]["wrd"], "");
}

TEST(RecipeList, AmphionsEntryHasItsFields) {
  const auto entry = nlohmann::json::parse(amphion_entry(listed_record(), 7, "spk"));
  EXPECT_EQ(entry, (nlohmann::json{{"Dataset", "a"},
                                   {"index", 7},
                                   {"Singer", "spk"},
                                   {"Uid", "k\"1"},
                                   {"Text", kText},
                                   {"Path", "audio/k.wav"},
                                   {"Duration", 1.25}}));
}

TEST(RecipeList, AmphionsFilesLieInAFolderOfEachDataset) {
  EXPECT_EQ(amphion_list_name("a"), "amphion/a/train.json");
  EXPECT_EQ(amphion_test_list_name("a"), "amphion/a/test.json");
  EXPECT_EQ(amphion_singers_name("a"), "amphion/a/singers.json");
}

}  // namespace
}  // namespace shardmill::manifest
