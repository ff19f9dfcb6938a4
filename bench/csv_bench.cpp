/// Reading CSV files of numbers, from memory, from a file, and from a gzipped file: bytes of text per second of wall-clock time,
/// as a gzipped file keeps two threads busy.

#include <benchmark/benchmark.h>
#include <zlib.h>

#include <charconv>
#include <darboux/core/random.hpp>
#include <filesystem>

#include "io/csv.hpp"
#include "io/file.hpp"

namespace {

using namespace darboux;

/// 20 columns of standard normal numbers with so many digits, about 10 MB.
std::string normal_table(int digits) {
  constexpr int columns = 20;
  constexpr std::size_t enough = 10'000'000;
  RandomStream random({.seed = 1});
  std::string text = "x1";
  for (int j = 2; j <= columns; ++j) text += ",x" + std::to_string(j);
  while (text.size() < enough)
    for (int j = 0; j < columns; ++j) {
      char number[40];
      const auto end =
          std::to_chars(number, number + sizeof number, random.normal(), std::chars_format::general, digits);
      text += j == 0 ? '\n' : ',';
      text.append(number, end.ptr);
    }
  return text + '\n';
}

void count_bytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void from_memory(benchmark::State& state) {
  const std::string text = normal_table(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(parse_csv(text, "numbers.csv"));
  count_bytes(state, text);
}

void from_file(benchmark::State& state, bool compressed) {
  const std::string text = normal_table(static_cast<int>(state.range(0)));
  const auto file = std::filesystem::temp_directory_path() / "darboux_csv_bench";
  if (compressed) {
    const gzFile out = gzopen(file.c_str(), "wb6");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
  } else {
    write_text(file, text);
  }
  for (auto _ : state) benchmark::DoNotOptimize(read_csv(file));
  std::filesystem::remove(file);
  count_bytes(state, text);
}

/// What zlib alone takes.
void inflate_only(benchmark::State& state) {
  const std::string text = normal_table(static_cast<int>(state.range(0)));
  uLongf size = compressBound(text.size());
  std::vector<Bytef> packed(size), unpacked(text.size());
  compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(), 6);
  for (auto _ : state) {
    uLongf length = unpacked.size();
    uncompress(unpacked.data(), &length, packed.data(), size);
  }
  count_bytes(state, text);
}

BENCHMARK(from_memory)->Arg(6)->Arg(17)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_file, plain, false)->Arg(6)->Arg(17)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(from_file, gzipped, true)->Arg(6)->Arg(17)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(inflate_only)->Arg(6)->Arg(17)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
