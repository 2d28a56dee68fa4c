// LoaderForm: everything about one form in which another project's loader wants a dataset. Each is a file in
// forms/ and a line of forms/all.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "manifest/layout.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

struct DatasetRecords;
struct LoaderForm;
class HeaderReader;

/// In the order of all_forms(), each once.
using Forms = std::vector<const LoaderForm*>;

struct ShardToIndex {
  std::string path;      // where it is now
  std::string name;      // where it will be, relative to the folder of the forms
  std::string manifest;  // where its manifest is now; empty: it has none
  std::string listed{};  // its name in lists with absolute paths; only for shards of a dataset
  std::string sha256{};  // the same
};

struct WrittenIndexes {
  std::vector<manifest::Checksum> files;  // sorted by name
  std::uint64_t samples = 0;              // found in the shards; 0 when only manifests were read
};

/// What forms are written of, and where to.
struct FormWork {
  const Forms& forms;  // all that are written together
  const std::vector<ShardToIndex>& shards;
  const std::string& folder;
  pipeline::Workers& workers;
  base::Reporter& reporter;
};

/// Takes the next piece of the text of the file `placed[file]`.
using UsePlacedText = std::function<void(std::size_t file, std::string_view text)>;

/// Empty fields mean that the form has nothing of the kind.
struct LoaderForm {
  std::string_view name;          // the value of --index
  std::string_view help;          // its lines in the help of `index`
  bool needs_plain_tar = true;    // it names places in plain tars or copies from them
  bool needs_manifests = true;    // it is made from manifests, which only shards made by shardmill have
  bool lists_texts = false;       // it takes the transcripts from the manifests
  bool copies_audio = false;      // it is as large as the dataset
  bool reads_from_disk = false;   // its loaders find shards by paths of their machine only
  std::string_view folder{};      // for its files, if they have one to themselves
  std::string_view sign{};        // the file in SHA256SUMS that shows that a dataset has this form
  std::string_view companion{};   // a form that shares file names with this one: both are written together
  std::string_view users_too{};   // a file of it whose name users give to their own files, too
  std::string_view users_head{};  // the beginning of that file when shardmill wrote it
  std::vector<std::string_view> optional{};  // files that a sound dataset may lack
  std::vector<std::string_view>
      placed{};  // files that contain the place of the dataset: see depends_on_place()

  /// True for the name of a file of this form, also one of another dataset.
  bool (*owns)(std::string_view file);
  /// The names of its files for these shards with samples of these datasets.
  std::vector<std::string> (*files)(const std::vector<std::string>& shards,
                                    const std::vector<std::string>& datasets);
  /// For a form that is made from the headers of the shards: one pass over them serves all such forms.
  std::unique_ptr<HeaderReader> (*read_headers)(const FormWork& work) = nullptr;
  /// For the others: writes all files.
  void (*write)(const FormWork& work, WrittenIndexes& written) = nullptr;
  /// The text of all `placed` files.
  void (*placed_text)(const std::vector<ShardToIndex>& shards, base::Reporter& reporter,
                      const UsePlacedText& use) = nullptr;

  // For more files that contain the place of the dataset, whose names depend on the place, too.
  bool (*is_placed)(std::string_view file) = nullptr;
  std::vector<std::string> (*find_placed)(const std::string& folder,
                                          const std::vector<std::string>& names) = nullptr;
  void (*check_placed)(const DatasetRecords& records, base::Reporter& reporter,
                       FindingList& findings) = nullptr;
  std::vector<std::string> (*write_placed)(const DatasetRecords& records, const std::string& root) = nullptr;
  /// After a repair: gives files that are older than their data the current time.
  void (*refresh)(const DatasetRecords& records) = nullptr;
};

const std::vector<LoaderForm>& all_forms();
inline std::string_view name(const LoaderForm& form) {
  return form.name;
}
/// nullptr for an unknown name.
const LoaderForm* form_named(std::string_view name);

/// "wids,dali", or "none".
std::string names(const Forms& forms);
/// Reads what names() wrote; nullopt for anything else.
std::optional<Forms> forms_named(std::string_view names);
bool has(const Forms& forms, std::string_view name);

/// The form that has a file of this name, the first of `present` if there is one, else the first of all;
/// nullptr if no form has one.
const LoaderForm* form_of(std::string_view file, const Forms& present = {});

/// True for a file that contains the place of the dataset. Like data.list it is not in SHA256SUMS, which stay
/// right when the dataset is moved.
bool depends_on_place(std::string_view file);
/// True for a file that a sound dataset may lack, because samples with the same key prevent it.
bool may_be_left_out(std::string_view file);
/// True for a name that users give to files of their own, too.
bool may_be_users(std::string_view file);

/// Throws UsageError when one of the forms is useless for shards of this codec.
void check_codec(const Forms& forms, codec::Codec codec);

/// Throws UsageError when one of the forms is useless for shards below this root of lists.
void check_root(const Forms& forms, std::string_view root);

/// Adds to `forms` those of `present` that must be written with them, because they share file names.
Forms with_companions(Forms forms, const Forms& present);

/// The names of all files of the forms, relative to their folder. `datasets` are the datasets of the samples.
std::vector<std::string> form_file_names(const Forms& forms, const std::vector<std::string>& shard_names,
                                         const std::vector<std::string>& datasets);

}  // namespace shardmill::dataset
