#include "pipeline/placing/admission.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pipeline/known_samples.hpp"
#include "support/made_utterance.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

/// What follows a colon is its sound.
Measured utterance(const std::string& name, std::uint32_t dataset = 0) {
  const std::string key = name.substr(0, name.find(':'));
  Utterance utterance = testing::made_utterance(key);
  utterance.dataset = dataset;
  if (name != key) utterance.record.sound_xxh3 = base::xxh3_128(base::as_bytes(name.substr(key.size())));
  return {.outcome = std::move(utterance)};
}

class Admissions : public ::testing::Test {
 protected:
  Admissions() {
    plan_.inputs.datasets = {{.name = "d"}};
    plan_.seed = 1;
    plan_.work_folder = folder_.path().string();
    plan_.inputs.streams = {{.name = "d", .files = {{.path = "s.tar", .bytes = 100}}, .datasets = {0}}};
  }

  Admission make() { return {plan_, reporter_}; }
  /// Keys that others have.
  std::shared_ptr<shard::KeySet> taken_keys() {
    const auto taken = std::make_shared<shard::KeySet>();
    plan_.taken = taken;
    return taken;
  }
  static std::vector<std::string> keys_of(Admission& admission, const std::vector<std::string>& given) {
    std::vector<Utterance> admitted;
    for (const std::string& name : given) admission.admit(utterance(name), admitted);
    std::vector<std::string> keys;
    for (const Utterance& one : admitted) keys.push_back(one.record.key);
    return keys;
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  MillPlan plan_;
  IntakeOptions& options_ = plan_.intake;
};

TEST_F(Admissions, AKeyThatComesAgainStopsTheRunWhereNothingElseIsAskedFor) {
  Admission admission = make();
  EXPECT_THROW(keys_of(admission, {"a", "b", "a"}), Error);
}

TEST_F(Admissions, KeysThatOthersHaveAreTaken) {
  const auto taken = taken_keys();
  taken->insert("a");
  taken->insert("a_2");
  {
    Admission admission = make();
    EXPECT_THROW(keys_of(admission, {"a"}), Error);
  }
  options_.on_duplicate = OnDuplicate::rename;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a", "b", "a"}), (std::vector<std::string>{"a_3", "b", "a_4"}));
}

TEST_F(Admissions, WhatWasRemovedStaysOut) {
  options_.on_duplicate = OnDuplicate::first;
  taken_keys()->insert("b");
  const auto withheld = std::make_shared<shard::KeySet>();
  for (const char* key : {"a", "b"}) withheld->insert(withheld_key("d", key));
  withheld->insert(withheld_key("other", "c"));
  plan_.withheld = withheld;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a", "b", "c"}), (std::vector<std::string>{"c"}));
  EXPECT_EQ(admission.counts().left_out.at("removed"), 1U);
  EXPECT_EQ(admission.counts().left_out.at("changed"), 1U);
}

TEST_F(Admissions, ASampleOfTheDatasetThatChangedIsTold) {
  options_.on_duplicate = OnDuplicate::first;
  const auto taken = taken_keys();
  for (const char* key : {"a", "b", "c"}) taken->insert(key);
  manifest::SampleRecord known = testing::made_utterance("a").record;
  taken->insert(known_sample(known));
  known.key = "b";
  known.text = "other words";
  taken->insert(known_sample(known));
  Admission admission = make();
  EXPECT_TRUE(keys_of(admission, {"a", "b", "c"}).empty());
  EXPECT_EQ(admission.counts().left_out.at("duplicate_key"), 1U);
  EXPECT_EQ(admission.counts().left_out.at("changed"), 2U);
}

TEST_F(Admissions, OrTheFirstIsKept) {
  options_.on_duplicate = OnDuplicate::first;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a", "b", "a"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(admission.counts().left_out.at("duplicate_key"), 1U);
  EXPECT_EQ(admission.counts().errors, 0U);
}

TEST_F(Admissions, OrTheLaterOnesAreRenamed) {
  options_.on_duplicate = OnDuplicate::rename;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a", "a_2", "a", "a"}), (std::vector<std::string>{"a", "a_2", "a_3", "a_4"}));
}

std::string rejects_in(const testing::TemporaryFolder& folder, Admission& admission) {
  admission.sync();
  return base::read_text(reject_log_path(folder.path().string()));
}

TEST_F(Admissions, TheSameAudioUnderAnotherKeyStopsTheRunWhereThatIsAskedFor) {
  options_.on_duplicate_audio = OnDuplicateAudio::stop;
  Admission admission = make();
  try {
    keys_of(admission, {"a:1", "b:2", "c:1"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "has the same audio as 'a'");
    EXPECT_EQ(error.where().member, "c");
  }
}

TEST_F(Admissions, OrTheFirstOfTheSameAudioIsKept) {
  options_.on_duplicate_audio = OnDuplicateAudio::first;
  options_.on_duplicate = OnDuplicate::rename;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a:1", "b:1", "b:2", "a:3", "c:3", "d", "e"}),
            (std::vector<std::string>{"a", "b", "a_2", "d", "e"}));
  EXPECT_EQ(admission.counts().left_out.at("duplicate_audio"), 2U);
  EXPECT_EQ(admission.counts().errors, 0U);
  // The first one is named as it is called in the dataset.
  EXPECT_NE(rejects_in(folder_, admission).find("has the same audio as 'a_2'"), std::string::npos);
}

TEST_F(Admissions, WhatIsLeftOutForItsKeyStandsForNoAudio) {
  options_.on_duplicate_audio = OnDuplicateAudio::first;
  options_.on_duplicate = OnDuplicate::first;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a:1", "a:2", "b:2", "b:1"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(admission.counts().left_out.at("duplicate_key"), 2U);
  EXPECT_FALSE(admission.counts().left_out.contains("duplicate_audio"));
}

TEST_F(Admissions, CopiesOfASampleAreNoDuplicates) {
  options_.on_duplicate_audio = OnDuplicateAudio::first;
  plan_.inputs.datasets[0].weight = 2;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a:1", "b:2"}), (std::vector<std::string>{"a", "a_x2", "b", "b_x2"}));
}

TEST_F(Admissions, AudioThatOthersHaveIsTaken) {
  options_.on_duplicate_audio = OnDuplicateAudio::first;
  plan_.heard = std::make_shared<SoundSet>(folder_.file("heard"));
  plan_.heard->insert(base::xxh3_128(base::as_bytes(":1")), "old");
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a:1", "b:2"}), (std::vector<std::string>{"b"}));
  EXPECT_NE(rejects_in(folder_, admission).find("has the same audio as 'old'"), std::string::npos);
}

TEST_F(Admissions, KnowTheAudioAgainAfterACrash) {
  options_.on_duplicate_audio = OnDuplicateAudio::first;
  AdmissionState state;
  {
    Admission admission = make();
    keys_of(admission, {"a:1", "b:2"});
    admission.sync();
    state = admission.state();
    keys_of(admission, {"c:3"});  // lost with the crash
  }
  Admission admission = make();
  admission.restore(std::move(state));
  EXPECT_EQ(keys_of(admission, {"d:1", "c:3", "e:2", "f:3"}), (std::vector<std::string>{"c"}));
}

TEST_F(Admissions, TakeADatasetAsOftenAsItsWeightSays) {
  plan_.inputs.datasets[0].weight = 2;
  Admission admission = make();
  EXPECT_EQ(keys_of(admission, {"a", "b"}), (std::vector<std::string>{"a", "a_x2", "b", "b_x2"}));
}

TEST_F(Admissions, KnowTheKeysAgainAfterACrash) {
  options_.on_duplicate = OnDuplicate::first;
  AdmissionState state;
  {
    Admission admission = make();
    keys_of(admission, {"a", "b"});
    admission.sync();
    state = admission.state();
    keys_of(admission, {"c"});  // lost with the crash
  }
  Admission admission = make();
  admission.restore(std::move(state));
  EXPECT_EQ(keys_of(admission, {"a", "c", "b"}), (std::vector<std::string>{"c"}));
  EXPECT_EQ(admission.counts().taken, 3U);
}

TEST_F(Admissions, MixedRatesAreAnErrorWhereAllMustBeAlike) {
  options_.require_uniform = true;
  Admission admission = make();
  keys_of(admission, {"a"});
  Measured other = utterance("b");
  std::get<Utterance>(other.outcome).record.audio.sample_rate = 8000;
  std::vector<Utterance> admitted;
  EXPECT_THROW(admission.admit(std::move(other), admitted), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
