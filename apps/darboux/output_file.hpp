#pragma once

#include <string>
#include <string_view>

/// Files that a flag names for output; "-" is standard output, and no name means none.
namespace darboux::cli {

/// A slip like `--csv chain_1.csv chain_2.csv` must not cost draws: only what was written here before is overwritten. Throws
/// InputError for a file that exists and is no `kind`, as its beginning tells.
///
/// Both throw, too, where the folder of the file is missing or may not be written to: better now than after the work.
void require_writable(std::string_view flag, const std::string& file, std::string_view kind,
                      std::string_view beginning);

/// The same where nothing may be overwritten.
void require_new(std::string_view flag, const std::string& file);

void write_output(const std::string& file, const std::string& text);

}  // namespace darboux::cli
