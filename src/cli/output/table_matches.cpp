#include "cli/output/table_matches.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "cli/output/row.hpp"

namespace shardmill::cli {

namespace {

std::string named(const std::vector<std::string>& names, std::uint64_t count) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{} {}", text.empty() ? ":" : ",", printable(name));
  return text + (count > names.size() ? ", ..." : "");
}

std::string table_text(const repack::TableMatch& table) {
  std::string text = row(
      "metadata", fmt::format("{}: {}, for {}", printable(table.path), base::format_count(table.rows, "row"),
                              base::format_count(table.matched_samples, "sample")));
  if (table.is_exact && table.rows_without_sample != 0)
    text += row("", base::format_count(table.rows_without_sample, "row") + " without a sample" +
                        named(table.first_rows, table.rows_without_sample));
  if (table.samples_without_row != 0)
    text += row("", base::format_count(table.samples_without_row, "sample") + " without a row" +
                        named(table.first_samples, table.samples_without_row));
  return text;
}

}  // namespace

std::string tables_as_text(const std::vector<repack::TableMatch>& tables) {
  std::string text;
  for (const repack::TableMatch& table : tables) text += table_text(table);
  return text;
}

void write_tables(base::JsonWriter& json, const std::vector<repack::TableMatch>& tables) {
  if (tables.empty()) return;
  json.key("metadata").begin_array();
  for (const repack::TableMatch& table : tables) {
    json.begin_object().member("path", table.path).member("rows", table.rows);
    json.member("samples", table.matched_samples).member("samples_without_row", table.samples_without_row);
    if (table.is_exact) json.member("rows_without_sample", table.rows_without_sample);
    json.end_object();
  }
  json.end_array();
}

}  // namespace shardmill::cli
