#include "dataset/forms.hpp"

#include <gtest/gtest.h>

namespace shardmill::dataset {
namespace {

Forms every_form() {
  Forms forms;
  for (const LoaderForm& form : all_forms()) forms.push_back(&form);
  return forms;
}

TEST(Forms, EverySetOfFormsReadsBack) {
  for (unsigned set = 0; set < 1U << all_forms().size(); ++set) {
    Forms forms;
    for (std::size_t i = 0; i < all_forms().size(); ++i) {
      if ((set >> i & 1U) != 0) forms.push_back(&all_forms()[i]);
    }
    ASSERT_EQ(forms_named(names(forms)), forms) << names(forms);
  }
}

TEST(Forms, NamesAreThoseOfTheOption) {
  EXPECT_EQ(names({}), "none");
  EXPECT_EQ(forms_named("none"), Forms());
  EXPECT_EQ(forms_named(names(every_form())), every_form());
  // Records name these.
  for (const char* name : {"wids", "dali", "energon", "speechbrain", "amphion", "lhotse", "kaldi", "shar",
                           "shar-gz", "huggingface", "nemo", "mds", "funasr", "idxpack", "parquet"}) {
    ASSERT_NE(form_named(name), nullptr) << name;
    EXPECT_EQ(form_named(name)->name, name);
  }
}

TEST(Forms, OrderAndRepetitionDoNotMatter) {
  EXPECT_EQ(forms_named("dali,wids,dali"), (Forms{form_named("wids"), form_named("dali")}));
}

TEST(Forms, AnythingElseIsRefused) {
  for (const char* text :
       {"", ",", "wids,", ",wids", "wids,,dali", "wid", "Wids", "wids ", "none,wids", "wids,none"}) {
    EXPECT_EQ(forms_named(text), std::nullopt) << text;
  }
}

TEST(Forms, WhatEachNeeds) {
  for (const char* seeks : {"wids", "kaldi", "shar", "mds"})
    EXPECT_TRUE(form_named(seeks)->needs_plain_tar) << seeks;
  for (const char* unpacked : {"amphion", "funasr"})
    EXPECT_FALSE(form_named(unpacked)->needs_plain_tar) << unpacked;
  for (const char* by_key : {"amphion", "kaldi", "parquet"})
    EXPECT_TRUE(form_named(by_key)->needs_manifests) << by_key;
  for (const char* by_place : {"wids", "dali", "energon"})
    EXPECT_FALSE(form_named(by_place)->needs_manifests);
  for (const char* copy : {"shar", "shar-gz", "mds", "parquet"})
    EXPECT_TRUE(form_named(copy)->copies_audio) << copy;
  EXPECT_FALSE(form_named("nemo")->copies_audio);
}

// One of the two, and all that they need.
TEST(Forms, EachHasAWriterAndNames) {
  for (const LoaderForm& form : all_forms()) {
    EXPECT_NE(form.write == nullptr, form.read_headers == nullptr) << form.name;
    EXPECT_EQ(form.placed.empty(), form.placed_text == nullptr) << form.name;
    EXPECT_FALSE(form.help.empty()) << form.name;
  }
}

TEST(Forms, EachIsKnownByItsFiles) {
  const std::vector<std::string> shards{"shards/audio_000000000.tar", "shards/audio_000000001.tar"};
  for (const LoaderForm& form : all_forms()) {
    for (const std::string& file : form_file_names({&form}, shards, {"set"})) {
      // Lhotse's index of a tar has the name of Energon's.
      const bool is_shared = form.name == "lhotse" && file.ends_with(".tar.idx");
      EXPECT_EQ(form_of(file)->name, is_shared ? "energon" : form.name) << file;
      EXPECT_EQ(form_of(file, {&form}), &form) << file;
    }
  }
  for (const char* other : {"shards/audio_000000000.tar", "manifests/manifest_000000000.json", "x.idx",
                            "kaldi", "data.list", "shards.idx", "parity/a.idx"})
    EXPECT_EQ(form_of(other), nullptr) << other;
}

TEST(Forms, EnergonAndLhotseAreWrittenTogether) {
  const Forms both{form_named("energon"), form_named("lhotse")};
  EXPECT_EQ(with_companions({both[1]}, every_form()), both);
  EXPECT_EQ(with_companions({both[0]}, {both[1]}), both);
  EXPECT_EQ(with_companions({both[0]}, {}), Forms{both[0]});
}

TEST(Forms, PlacesInATarAreOfNoUseForCompressedShards) {
  for (const LoaderForm& form : all_forms()) {
    EXPECT_NO_THROW(check_codec({&form}, codec::Codec::none));
    if (form.needs_plain_tar) {
      EXPECT_THROW(check_codec({&form}, codec::Codec::zstd), UsageError) << form.name;
    } else {
      EXPECT_NO_THROW(check_codec({&form}, codec::Codec::zstd)) << form.name;
    }
  }
}

}  // namespace
}  // namespace shardmill::dataset
