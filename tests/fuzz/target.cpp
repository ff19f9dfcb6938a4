#include "target.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "io/file.hpp"

namespace darboux::fuzz {

namespace {

std::vector<Target>& registered() {
  static std::vector<Target> targets;
  return targets;
}

}  // namespace

Target::Target(std::string_view name, Run run) : name_(name), run_(run) {
  auto& targets = registered();
  const auto place = std::ranges::find_if(targets, [&](const Target& other) { return other.name() > name; });
  targets.insert(place, *this);
}

const std::vector<Target>& Target::all() { return registered(); }

void demand(bool holds, std::string_view what) {
  if (!holds) throw std::logic_error("does not hold: " + std::string(what));
}

unsigned take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

std::vector<std::string_view> parts_of(std::string_view input, std::size_t count) {
  constexpr std::string_view mark = "\n%%\n";
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    const std::size_t end = std::min(input.find(mark), input.size());
    parts.push_back(input.substr(0, std::min(end + 1, input.size())));  // with the end of its last line
    input.remove_prefix(std::min(end + mark.size(), input.size()));
  }
  parts.push_back(input);
  return parts;
}

MemoryFile::MemoryFile() : fd_(::memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
  if (fd_ < 0) throw std::logic_error("there is no file in memory to be had");
}
MemoryFile::~MemoryFile() { (void)::close(fd_); }

const std::filesystem::path& MemoryFile::fill(std::string_view bytes) const {
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, bytes.data(), bytes.size(), 0) != std::ssize(bytes))
    throw std::logic_error("the file in memory cannot be written");
  return path_;
}

void put(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), std::ssize(bytes));
}

std::string corpus_file(const std::string& name) { return read_text(std::filesystem::path(DARBOUX_CORPUS) / name); }

}  // namespace darboux::fuzz
