#include "stan/wheel.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "io/process.hpp"
#include "io/scratch_folder.hpp"
#include "stan/step.hpp"

namespace darboux {

namespace {

namespace fs = std::filesystem;

void require_platform() {
  utsname machine{};
  ::uname(&machine);
  if (std::string_view(machine.machine) != "x86_64")
    throw Error(
        fmt::format("this is a {} machine, and the package with Stan is for x86_64 only: install CmdStan or "
                    "BridgeStan and name its folder with --stan DIR",
                    machine.machine));
}

/// The wheel, fetched into a folder. pip compares the checksum with ours.
fs::path fetch(const fs::path& folder, const CompilationWatch& watch) {
  const fs::path wanted = folder / "requirements.txt";
  write_text(wanted,
             fmt::format("{}=={} --hash=sha256:{}\n", StanWheel::package, StanWheel::version, StanWheel::sha256));
  const ProgramEnd end =
      watched({"python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary=:all:", "--python-version", std::string(StanWheel::python), "--platform",
               std::string(StanWheel::platform), "--require-hashes", "--dest", folder.string(), "--requirement",
               wanted.string()},
              fmt::format("Fetching {} {} from PyPI, 35 MB", StanWheel::package, StanWheel::version), watch);
  if (end.status != 0)
    throw Error(
        fmt::format("pip could not fetch {0} {1}:\n{2}\nIf pip is missing, install it (python3-pip). Without a "
                    "network, fetch the wheel elsewhere (pip download --no-deps --only-binary=:all: --python-version "
                    "{3} --platform {4} {0}=={1}) and call darboux stan install --wheel FILE",
                    StanWheel::package, StanWheel::version, end.output, StanWheel::python, StanWheel::platform));
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".whl") return entry.path();
  throw Error("pip fetched no wheel, although it said that all was well");
}

void check_sum(const fs::path& wheel) {
  const ProgramEnd end = run_program({"sha256sum", wheel.string()});
  if (end.status != 0) throw Error(fmt::format("cannot read {}: {}", wheel.string(), end.output));
  if (!end.output.starts_with(StanWheel::sha256))
    throw InputError(fmt::format("{}: its SHA-256 is {}: must be {}, that of {} {} for CPython {} on {}",
                                 wheel.string(), end.output.substr(0, StanWheel::sha256.size()), StanWheel::sha256,
                                 StanWheel::package, StanWheel::version, StanWheel::python, StanWheel::platform));
}

}  // namespace

StanToolchain install_stan(const fs::path& wheel, const CompilationWatch& watch) {
  const fs::path target = installed_toolchain_folder();
  if (auto found = toolchain_in(target)) return *std::move(found);
  require_platform();
  const ScratchFolder scratch(target.parent_path());
  const fs::path source = wheel.empty() ? fetch(scratch.path(), watch) : wheel;
  check_sum(source);
  const fs::path unpacked = scratch.path() / "unpacked";
  const ProgramEnd end =
      watched({"python3", "-m", "zipfile", "-e", source.string(), unpacked.string()}, "Unpacking", watch);
  if (end.status != 0) throw Error(fmt::format("cannot unpack {}:\n{}", source.string(), end.output));
  const fs::path root = unpacked / StanWheel::package;
  fs::permissions(root / "stanc", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
  fs::remove(root / "stan_services.o");  // 44 MB that only the package's own sampler needs
  if (!toolchain_in(root)) throw Error(fmt::format("{} does not hold what it should", source.string()));
  fs::remove_all(target);  // an incomplete one
  fs::rename(root, target);
  return toolchain_in(target).value();
}

}  // namespace darboux
