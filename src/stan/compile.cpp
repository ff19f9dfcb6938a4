#include "stan/compile.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "io/process.hpp"
#include "io/scratch_folder.hpp"
#include "stan/shim.hpp"
#include "stan/step.hpp"
#include "stan/user_folders.hpp"

namespace darboux {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A short name for a text (FNV-1a, 64 bits): what was compiled of the same text is found again by it.
std::string key_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

/// What a file becomes as an identifier: my-model.stan, my_model.
std::string identifier(const fs::path& program) {
  std::string name = program.stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "m_" + name : name;
}

std::string version_of(const Words& compiler) {
  constexpr std::string_view advice = "Stan programs need a C++ compiler; install g++, or name one in CXX";
  ProgramEnd end;
  try {
    end = run_program(compiler + Words{"--version"});
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", e.what(), advice));
  }
  if (end.status == 0) return end.output;
  throw Error(fmt::format("{} --version fails with status {}: {}", compiler.front(), end.status, advice));
}

/// The compiler with the flags for a toolchain, and the folder where what it makes is kept.
class Compiler {
 public:
  explicit Compiler(const StanToolchain& toolchain) : toolchain_(toolchain), folder_(user_cache_folder() / "stan") {
    const char* given = std::getenv("CXX");
    std::istringstream words(given != nullptr ? given : "");
    for (std::string word; words >> word;) command_.push_back(word);
    if (command_.empty()) command_.emplace_back("g++");
    const std::string version = version_of(command_);
    for (const char* flag : {"-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
                             "-pthread", "-w", "-DSTAN_THREADS", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS",
                             "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION", "-D_GLIBCXX_USE_CXX11_ABI=1"})
      flags_.emplace_back(flag);
    // Stan asks for the tape of its thread at every operation: without the detour that libraries take by default, recursions
    // are differentiated up to three times as fast. Vectors longer than the 16 bytes to which malloc aligns would gain a tenth,
    // but then the order of sums, and with it the last bit of draws, would depend on where numbers happen to lie.
    flags_.emplace_back("-ftls-model=initial-exec");
    for (const fs::path& include : toolchain.include) flags_ = flags_ + Words{"-isystem", include.string()};
    // Headers, flags and compiler: what is compiled with other ones is another thing.
    context_ = fmt::format("{}\n{}\n{}\n", toolchain.version, version, toolchain.root.string());
    for (const std::string& word : command_ + flags_) context_ += word + '\n';
  }

  [[nodiscard]] const fs::path& folder() const noexcept { return folder_; }
  [[nodiscard]] std::string key(std::string_view text) const { return key_of(context_ + std::string(text)); }

  /// Stan's headers in one, as a header that can be compiled ahead, and what comes of it.
  [[nodiscard]] fs::path header() const { return folder_ / fmt::format("headers-{}", key("")) / "model_header.hpp"; }
  [[nodiscard]] fs::path precompiled_header() const { return header().string() + ".gch"; }

  void compile(const fs::path& source, const fs::path& object, const std::string& what,
               const CompilationWatch& watch) const {
    Words headers;
    if (fs::exists(precompiled_header())) headers = {"-include", header().string()};
    run(command_ + flags_ + headers + Words{"-x", "c++", "-c", source.string(), "-o", object.string()}, what, watch);
  }
  void compile_header(const fs::path& source, const fs::path& result, const CompilationWatch& watch) const {
    run(command_ + flags_ + Words{"-x", "c++-header", source.string(), "-o", result.string()},
        "Compiling Stan's headers ahead (once; 0.8 GB)", watch);
  }
  void link(const Words& objects, const fs::path& library) const {
    Words words = command_ + Words{"-shared", "-pthread", "-Wl,--gc-sections", "-Wl,--exclude-libs,ALL"} + objects;
    for (const fs::path& file : toolchain_.libraries) words.push_back(file.string());
    // Not -Wl,-rpath,FOLDER: the folder's name may have a comma.
    words = words + Words{"-Xlinker", "-rpath", "-Xlinker", toolchain_.libraries.back().parent_path().string()};
    run(words + Words{"-o", library.string()}, "Linking", {});
  }

 private:
  static void run(const Words& words, const std::string& what, const CompilationWatch& watch) {
    const ProgramEnd end = watched(words, what, watch);
    if (end.status == 0) return;
    constexpr std::size_t most = 4000;
    const std::string shown = end.output.size() <= most ? end.output : end.output.substr(0, most) + " …";
    throw Error(fmt::format("{} failed with status {}{}. {} said:\n{}", what, end.status,
                            end.status == 137 || end.output.find("Killed") != std::string::npos
                                ? ", perhaps for lack of memory: a program takes 2 GB"
                                : "",
                            words.front(), shown));
  }

  const StanToolchain& toolchain_;
  fs::path folder_;
  Words command_, flags_;
  std::string context_;
};

/// Moves a finished file to its place in the cache; another process may have put the same one there.
void keep(const fs::path& made, const fs::path& place) {
  fs::create_directories(place.parent_path());
  fs::rename(made, place);
}

/// The object that is linked with all programs.
fs::path shim_object(const Compiler& compiler, const ScratchFolder& scratch, const CompilationWatch& watch) {
  const fs::path place = compiler.folder() / fmt::format("shim-{}.o", compiler.key(shim_source));
  if (fs::exists(place)) return place;
  const fs::path source = scratch.path() / "shim.cpp", object = scratch.path() / "shim.o";
  write_text(source, shim_source);
  compiler.compile(source, object, "Compiling what connects Darboux with Stan (once)", watch);
  keep(object, place);
  return place;
}

/// The translation into C++, which goes to `output`; returns what the translator remarked.
std::string translate(const StanToolchain& toolchain, const fs::path& program, const fs::path& output) {
  fs::path folder = program.has_parent_path() ? program.parent_path() : ".";
  if (folder.string().find(',') != std::string::npos) {  // which would make two folders of it
    // stanc writes the name into its translation, so that the same folder must have the same one.
    const fs::path link = fs::temp_directory_path() / ("darboux-" + key_of(fs::absolute(folder).string()));
    std::error_code exists;
    fs::create_directory_symlink(fs::absolute(folder), link, exists);
    folder = link;
  }
  const ProgramEnd end =
      run_program({toolchain.stanc.string(), "--O1", "--name=" + identifier(program) + "_model",
                   "--filename-in-msg=" + program.filename().string(), "--include-paths=" + folder.string(),
                   "--o=" + output.string(), program.string()});
  if (end.status == 0) return end.output;
  throw InputError(
      fmt::format("{}: Stan {} does not accept the program:\n{}", program.string(), toolchain.version, end.output));
}

/// A translation without the line that says how stanc was called, and so where the program lies.
std::string without_flags(std::string translation) {
  if (const auto at = translation.find("stancflags = "); at != std::string::npos)
    translation.erase(at, translation.find('\n', at) - at);
  return translation;
}

/// What interrupted compilations have left.
void remove_leftovers(const fs::path& folder) {
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with("unfinished-") && entry.last_write_time(ignored) < long_ago)
      fs::remove_all(entry.path(), ignored);
}

}  // namespace

CompiledProgram compile_stan(const fs::path& program, const StanToolchain& toolchain, const CompilationWatch& watch) {
  (void)read_text(program);  // a missing file is told in our words
  const Compiler compiler(toolchain);
  const ScratchFolder translation(fs::temp_directory_path());  // a cache that has the library need not be writable
  const fs::path source = translation.path() / "model.cpp";
  CompiledProgram compiled{.library = {}, .is_new = false, .notes = translate(toolchain, program, source)};
  const std::string name = identifier(program) + "_model.so";
  compiled.library =
      compiler.folder() / compiler.key(without_flags(read_text(source)) + std::string(shim_source)) / name;
  if (fs::exists(compiled.library)) return compiled;
  remove_leftovers(compiler.folder());
  const ScratchFolder scratch(compiler.folder());
  const fs::path object = scratch.path() / "model.o";
  const fs::path shim = shim_object(compiler, scratch, watch);
  compiler.compile(source, object, fmt::format("Compiling {} (once)", program.filename().string()), watch);
  compiler.link({object.string(), shim.string()}, scratch.path() / name);
  keep(scratch.path() / name, compiled.library);
  compiled.is_new = true;
  return compiled;
}

void precompile_headers(const StanToolchain& toolchain, const CompilationWatch& watch) {
  const Compiler compiler(toolchain);
  if (fs::exists(compiler.precompiled_header())) return;
  const ScratchFolder scratch(compiler.folder());
  fs::create_directories(compiler.header().parent_path());
  write_text(compiler.header(), "#include <stan/model/model_header.hpp>\n");
  compiler.compile_header(compiler.header(), scratch.path() / "header.gch", watch);
  keep(scratch.path() / "header.gch", compiler.precompiled_header());
}

}  // namespace darboux
