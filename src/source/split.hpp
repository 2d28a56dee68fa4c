// Split: which subsets of a corpus belong together: those to train on, and those to judge by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {

enum class Split { train, dev, test, other };

/// "train", "dev", "test", "other".
std::string_view name(Split split);

/// Of subsets as publishers name them, with blanks between several: "train-clean-100" and "XL L" are train,
/// "dev/phase1" is dev. Of several the one that is most to be kept apart: test, then dev, then other.
Split split_of(std::string_view subsets);

/// The names in "XL L".
std::vector<std::string_view> subset_names(std::string_view subsets);

/// The value of the member "subset", or else "split", among members of a manifest line; empty if there is no
/// such member.
std::string_view subset_in(std::string_view facts);

/// The subset that the name of a table says: "dev" of "cuts_dev.jsonl.gz", "train-clean-100" of
/// "train-clean-100.csv"; empty if it says none.
std::string subset_of_table(std::string_view path);

/// A file without which samples lack a fact that they have otherwise.
struct FactTeller {
  std::string_view fact{};  // "gender"; empty: there is no such file
  std::string_view file{};  // "SPEAKERS.TXT"
};

/// True where they have a text of this name.
bool has_fact(std::string_view facts, std::string_view name);

}  // namespace shardmill::source
