#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/error.hpp"

/// Hostile input: of any bytes, a parser makes a value or an Error, in little time and memory. Anything else is a finding: a
/// crash, undefined behaviour, an exception of another kind, a demand that does not hold.
namespace darboux::fuzz {

/// What is done with an input. It is known by its name, and so are its files in corpus/.
class Target {
 public:
  using Run = void (*)(std::string_view input);
  Target(std::string_view name, Run run);

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  void operator()(std::string_view input) const { run_(input); }

  /// All that are linked, by name.
  [[nodiscard]] static const std::vector<Target>& all();

 private:
  std::string_view name_;
  Run run_;
};

/// Throws std::logic_error where something does not hold that should hold for any input.
void demand(bool holds, std::string_view what);

/// Whether an action goes through. Where it is refused, the message must be one that a person can read.
template <class Action>
bool attempt(const Action& action) {
  constexpr std::size_t longest = 1 << 16;
  try {
    action();
    return true;
  } catch (const Error& error) {
    const std::string_view words = error.what();
    demand(!words.empty() && words.size() <= longest, "a refusal is of some words");
    return false;
  }
}

/// Takes the first byte off an input; 0 where there is none.
[[nodiscard]] unsigned take_byte(std::string_view& input);

/// An input in parts: they are separated by lines that begin with %%. As many as asked for, the last with all the rest.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view input, std::size_t count);

/// A file in memory, whose content is another one for each input.
class MemoryFile {
 public:
  MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  const std::filesystem::path& fill(std::string_view bytes) const;

 private:
  int fd_;
  std::filesystem::path path_;
};

/// A file of this content, in place of what was there. Faster than write_text: nobody waits for the disk.
void put(const std::filesystem::path& file, std::string_view bytes);

/// A file of the corpus.
[[nodiscard]] std::string corpus_file(const std::string& name);

}  // namespace darboux::fuzz
