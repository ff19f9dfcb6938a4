// generated_sets FOLDER: writes twonorm.csv, ringnorm.csv and waveform.csv into FOLDER.
#include "generated_sets.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>

#include "io/file.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: generated_sets FOLDER\n", stderr);
    return 2;
  }
  try {
    for (const auto& set : darboux::data::generated_sets)
      darboux::write_text(std::filesystem::path(arguments[1]) / (std::string(set.name) + ".csv"),
                          darboux::data::csv_of(set, darboux::data::generated_rows));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generated_sets: %s\n", error.what());
    return 1;
  }
}
