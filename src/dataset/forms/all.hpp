// The list of all forms, in the order in which records and --index name them. forms/NAME.cpp defines
// NAME_form(). The build takes the sources of the forms from these lines.
#pragma once

#include "dataset/forms.hpp"

#define SHARDMILL_FORMS(FORM) \
  FORM(wids)                  \
  FORM(dali)                  \
  FORM(energon)               \
  FORM(speechbrain)           \
  FORM(amphion)               \
  FORM(lhotse)                \
  FORM(kaldi)                 \
  FORM(shar)                  \
  FORM(shargz)                \
  FORM(huggingface)           \
  FORM(nemo)                  \
  FORM(mds)                   \
  FORM(funasr)                \
  FORM(idxpack)               \
  FORM(parquet)

namespace shardmill::dataset {

#define SHARDMILL_DECLARE_FORM(name) LoaderForm name##_form();
SHARDMILL_FORMS(SHARDMILL_DECLARE_FORM)
#undef SHARDMILL_DECLARE_FORM

}  // namespace shardmill::dataset
