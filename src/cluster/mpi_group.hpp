#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "cluster/group.hpp"
#include "cluster/launch.hpp"

namespace darboux {

/// What a build with -DDARBOUX_MPI=ON makes besides the program.
inline constexpr std::string_view mpi_module = "libdarboux_mpi.so";

/// Tells what has happened and ends this process, where that cannot be thrown.
using EndOfProcess = std::function<void(const std::string& message)>;

/// The processes that a launcher started together with this one, by way of MPI; `module` is where mpi_module is. Throws InputError
/// where the launcher is not of the MPI that it was built with, or where it cannot be loaded.
///
/// A process that ends without a word is noticed by those on its machine within a tenth of a second, whatever they and the launcher do;
/// two tenths later those who are Apart end.
[[nodiscard]] std::unique_ptr<Group> open_mpi_group(const Launch& launch, const std::filesystem::path& module,
                                                    const EndOfProcess& end);

}  // namespace darboux
