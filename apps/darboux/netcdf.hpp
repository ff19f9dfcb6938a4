#pragma once

#include <filesystem>

#include "draws/zarr_reader.hpp"

namespace darboux::cli {

/// Copies a Zarr store of draws to a netCDF file (netCDF-4), group by group, as xarray and ArviZ have them. It appears whole. Throws
/// Error, saying what to do, where the program was built without netCDF.
void write_netcdf(const ZarrReader& store, const std::filesystem::path& file);

/// Throws that Error.
void require_netcdf();

}  // namespace darboux::cli
