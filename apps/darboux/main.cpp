#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdio>
#include <darboux/core/error.hpp>
#include <darboux/version.hpp>
#include <vector>

#include "command.hpp"
#include "copies.hpp"
#include "core/spelling.hpp"
#include "io/file.hpp"
#include "report/printable_text.hpp"

namespace {

using namespace darboux;
using namespace darboux::cli;

constexpr int failed = 1;
constexpr int bad_usage = 2;

/// CLI11 has no name for those that it does not list.
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

/// All long flags that a parser lists, with their dashes.
std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

/// CLI11 exits with codes of its own and suggests nothing; we promise 2 and help with the spelling.
int explain(const CLI::App& root, const CLI::ParseError& error) {
  const auto chosen = root.get_subcommands();
  const CLI::App& app = chosen.empty() ? root : *chosen.front();
  const std::vector<std::string> extra = chosen.empty() ? root.remaining() : app.remaining();
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty()) {
    const std::string& word = extra.front();
    std::vector<std::string> known;
    const bool is_flag = word.starts_with("-");
    if (is_flag) {
      known = flags_of(app);
    } else if (chosen.empty()) {
      for (const CLI::App* sub : root.get_subcommands({})) known.push_back(sub->get_name());
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    message = known.empty() ? fmt::format("unexpected argument \"{}\"", word)
                            : unknown_name(is_flag ? "flag" : "command", word, views);
  }
  if (const auto at = message.find(" was given a disallowed flag override"); at != std::string::npos)
    message = fmt::format("--{} takes no value: it is on where it is given", message.substr(0, at));
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 1 && option->get_expected_max() == 1)
      message = fmt::format("{} is given {} times: must be once", name_of(*option), option->count());
  if (is_to_tell(error))
    fmt::print(stderr, "darboux: {}\nTry: darboux {}--help\n", message, chosen.empty() ? "" : app.get_name() + " ");
  return bad_usage;
}

/// A file that is opened while a standard stream is closed (`>&-`) gets its number, and what is printed would end up in it. What
/// takes the place of standard output cannot be written to, as a closed one cannot; messages just go nowhere.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) (void)!::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/// Large blocks go back to the system as soon as they are free: glibc would keep those of up to 32 MB, in case they are wanted again.
void return_large_blocks() {
#ifdef __GLIBC__
  (void)::mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

/// What files say may be in a message, and a terminal must not obey it. There is nobody to tell where that fails.
void complain(const std::exception& error, const std::string& message) {
  if (is_to_tell(error)) (void)std::fputs(printable_lines(message).c_str(), stderr);
}

/// `--out ""` is a variable that was not set, and no wish for the default.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty())
        throw InputError(fmt::format("{} is given, but empty: must be something, or left out", name_of(*option)));
}

/// The exit status of the command that was given.
int run(const CLI::App& root, const std::vector<Subcommand>& commands) {
  try {
    for (const Subcommand& command : commands) {
      if (!command.parser->parsed()) continue;
      refuse_empty_values(*command.parser);
      if (!command.is_for_several) refuse_copies();
      const int status = command.run();
      if (std::fflush(stdout) != 0) throw Error("cannot write to standard output");  // a full disk
      return status;
    }
    fmt::print("{}", root.help());
    return bad_usage;
  } catch (const InputError& error) {
    complain(error, fmt::format("darboux: {}\n", error.what()));
    return bad_usage;
  } catch (const std::exception& error) {
    complain(error, fmt::format("darboux: failed: {}\n", in_words(error)));
    return failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  return_large_blocks();
  CLI::App root("Hamiltonian Monte Carlo on general phase spaces", "darboux");
  root.set_version_flag("--version", std::string("darboux ") + std::string(version()));
  root.require_subcommand(0, 1);
  root.footer("darboux COMMAND --help tells more.");
  const std::vector<Subcommand> commands{
      add_sample(root),  add_resume(root),    add_merge(root), add_summary(root),     add_report(root),
      add_convert(root), add_structure(root), add_check(root), add_compare(root),     add_reproduce(root),
      add_models(root),  add_compile(root),   add_stan(root),  add_completions(root), add_manual(root)};

  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& done) {  // --help and --version
    return root.exit(done);
  } catch (const CLI::ParseError& error) {
    return explain(root, error);
  }
  const int status = run(root, commands);
  leave_started_group();
  return status;
}
