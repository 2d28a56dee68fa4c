#include "dataset/forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "dataset/forms/all.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kNoForm = "none";

bool lists(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Property>
bool any_form(const Property& property) {
  return std::any_of(all_forms().begin(), all_forms().end(), property);
}

}  // namespace

const std::vector<LoaderForm>& all_forms() {
#define SHARDMILL_CALL_FORM(name) name##_form(),
  static const std::vector<LoaderForm> all{SHARDMILL_FORMS(SHARDMILL_CALL_FORM)};
#undef SHARDMILL_CALL_FORM
  return all;
}

const LoaderForm* form_named(std::string_view name) {
  const auto found = std::find_if(all_forms().begin(), all_forms().end(),
                                  [&](const LoaderForm& form) { return form.name == name; });
  return found == all_forms().end() ? nullptr : &*found;
}

std::string names(const Forms& forms) {
  std::string text;
  for (const LoaderForm* const form : forms) {
    if (!text.empty()) text += ',';
    text += form->name;
  }
  return text.empty() ? std::string(kNoForm) : text;
}

std::optional<Forms> forms_named(std::string_view names) {
  Forms forms;
  if (names == kNoForm) return forms;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const LoaderForm* const form = form_named(names.substr(begin, end - begin));
    if (form == nullptr) return std::nullopt;
    if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(form);
    begin = end + 1;
  }
  std::sort(forms.begin(), forms.end());  // all are in one vector
  return forms;
}

bool has(const Forms& forms, std::string_view name) {
  return std::any_of(forms.begin(), forms.end(), [&](const LoaderForm* form) { return form->name == name; });
}

const LoaderForm* form_of(std::string_view file, const Forms& present) {
  for (const LoaderForm* const form : present) {
    if (form->owns(file)) return form;
  }
  for (const LoaderForm& form : all_forms()) {
    if (form.owns(file)) return &form;
  }
  return nullptr;
}

bool depends_on_place(std::string_view file) {
  return any_form([&](const LoaderForm& form) {
    return lists(form.placed, file) || (form.is_placed != nullptr && form.is_placed(file));
  });
}

bool may_be_left_out(std::string_view file) {
  return any_form([&](const LoaderForm& form) { return lists(form.optional, file); });
}

bool may_be_users(std::string_view file) {
  return any_form([&](const LoaderForm& form) { return !file.empty() && form.users_too == file; });
}

void check_codec(const Forms& forms, codec::Codec codec) {
  if (codec == codec::Codec::none) return;
  for (const LoaderForm* const form : forms) {
    if (!form->needs_plain_tar) continue;
    throw UsageError(fmt::format("the {} index is only for shards that are plain tars, and these are {}",
                                 form->name, codec::name(codec)),
                     {}, "leave that index out", Remedy::plain_shards);
  }
}

void check_root(const Forms& forms, std::string_view root) {
  if (root.find("://") == std::string_view::npos && !root.starts_with("pipe:")) return;
  for (const LoaderForm* const form : forms) {
    if (!form->reads_from_disk) continue;
    throw UsageError(fmt::format("the {} lists name shards on a disk, and these are on a server", form->name),
                     at(std::string(root)), "leave that index out", Remedy::list_root);
  }
}

Forms with_companions(Forms forms, const Forms& present) {
  const Forms given = forms;
  for (const LoaderForm* const form : given) {
    const LoaderForm* const other = form_named(form->companion);
    if (other != nullptr && has(present, other->name) && !has(forms, other->name)) forms.push_back(other);
  }
  std::sort(forms.begin(), forms.end());
  return forms;
}

std::vector<std::string> form_file_names(const Forms& forms, const std::vector<std::string>& shard_names,
                                         const std::vector<std::string>& datasets) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const LoaderForm* const form : forms) {
    for (std::string& name : form->files(shard_names, datasets)) {
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace shardmill::dataset
