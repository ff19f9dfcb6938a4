// fuzz target=NAME [OPTION…] [FOLDER…]: libFuzzer on one target, with its options and its folders of inputs.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "target.hpp"

namespace {

const darboux::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view asked = "target=";
  for (int i = 1; i < *count; ++i)
    if (const std::string_view word = (*words)[i]; word.starts_with(asked))
      for (const auto& target : darboux::fuzz::Target::all())
        if (target.name() == word.substr(asked.size())) {
          chosen = &target;
          (*words)[i] = const_cast<char*>("-verbosity=1");  // an option that says nothing new, in place of the word
          return 0;
        }
  std::fputs("usage: fuzz target=NAME [OPTION of libFuzzer…] [FOLDER…]\nThere are:", stderr);
  for (const auto& target : darboux::fuzz::Target::all())
    std::fprintf(stderr, " %.*s", static_cast<int>(target.name().size()), target.name().data());
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  (*chosen)({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
