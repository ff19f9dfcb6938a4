#include "run/convert.hpp"

#include <fmt/format.h>

#include <darboux/core/error.hpp>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "core/field_table.hpp"
#include "dimension.hpp"
#include "draws/chain_readers.hpp"
#include "draws/run_directory.hpp"
#include "draws/zarr_sink.hpp"
#include "io/scratch_folder.hpp"
#include "netcdf.hpp"
#include "report/run_input.hpp"
#include "rerun.hpp"
#include "run/model_source.hpp"
#include "run/run_config.hpp"
#include "run/run_content.hpp"
#include "run/tuning_file.hpp"
#include "settings.hpp"

namespace darboux::cli {

namespace fs = std::filesystem;

enum class Target { netcdf, csv, zarr };

}  // namespace darboux::cli

namespace darboux {

template <>
inline constexpr auto names_of<cli::Target> = std::to_array<Named<cli::Target>>(
    {{cli::Target::netcdf, "netcdf"}, {cli::Target::csv, "csv"}, {cli::Target::zarr, "zarr"}});

}  // namespace darboux

namespace darboux::cli {

namespace {

struct ConvertFlags {
  std::string run, to, output;
};

/// What warm-up found, where the run left it: for Stan CSV, whose comments have the metric.
std::optional<Tuning> tuning_of(const fs::path& run, const RunInput& input) {
  const fs::path folder = is_zarr(run) ? fs::absolute(run).parent_path() : run;
  if (!fs::exists(folder / "tuning.json") || !fs::exists(folder / manifest_name)) return std::nullopt;
  const RunConfig config = config_of(read_manifest(folder / manifest_name));
  return read_tuning(folder / "tuning.json", {.name = short_name(config.model), .dim = dimension_of(folder, input)});
}

/// The store that a run writes itself, if it does: one that was made of it may have fewer draws.
std::optional<fs::path> store_of(const fs::path& run) {
  if (is_zarr(run)) return run;
  const fs::path store = run / zarr_name;
  if (!is_zarr(store)) return std::nullopt;
  if (!fs::exists(run / manifest_name)) return store;
  const RunManifest manifest = read_manifest(run / manifest_name);
  const ValueTree* const format = manifest.asked.find("format");
  RunConfig config;
  if (format != nullptr) config.format = text_of(*format);
  return writes(config, DrawFormat::zarr) ? std::optional(store) : std::nullopt;
}

void to_zarr(const fs::path& run, const RunInput& input, const fs::path& output) {
  if (const auto store = store_of(run)) return copy_zarr(*store, output);
  const RunContent content = content_of(run, quantities(input.draws.front()));
  convert_to_zarr(input, output, content);
  tell(content.left_out);
}

void to_netcdf(const fs::path& run, const RunInput& input, const fs::path& output) {
  if (const auto store = store_of(run)) return write_netcdf(ZarrReader(*store), output);
  const ScratchFolder scratch(fs::absolute(output).parent_path());
  to_zarr(run, input, scratch.path() / zarr_name);
  write_netcdf(ZarrReader(scratch.path() / zarr_name), output);
}

int convert_and_print(const ConvertFlags& flags) {
  const auto to = from_name<Target>("--to", flags.to);
  const fs::path run = flags.run;
  const fs::path place = fs::absolute(run).lexically_normal();
  const std::string base = (place.filename().empty() ? place.parent_path() : place).string();
  const fs::path output = !flags.output.empty()  ? flags.output
                          : to == Target::netcdf ? base + ".nc"
                          : to == Target::zarr   ? base + ".zarr"
                                                 : base + "-csv";
  if (to == Target::netcdf) require_netcdf();
  if (fs::exists(output))
    throw InputError(fmt::format("{} exists: nothing is overwritten; choose another name with --output, or remove it",
                                 output.string()));
  const RunInput input = open_runs(std::vector{run});
  if (to == Target::netcdf) to_netcdf(run, input, output);
  if (to == Target::zarr) to_zarr(run, input, output);
  if (to == Target::csv) convert_to_csv(input, tuning_of(run, input), output);
  fmt::print("Written to {}\n", quoted(output.string()));
  return 0;
}

}  // namespace

Subcommand add_convert(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("convert", "draws of a run in another format: netCDF, Stan CSV or Zarr");
  const auto flags = std::make_shared<ConvertFlags>();
  parser->add_option("DIR", flags->run, "folder of a run, of Stan CSV files, or a Zarr store")->required();
  parser->add_option("--to", flags->to, "format to write")->type_name(joined(all_names<Target>(), "|"))->required();
  parser->add_option("--output", flags->output, "file or folder to create; DIR.nc, DIR-csv or DIR.zarr when absent")
      ->type_name("PATH");
  parser->footer(
      "Numbers keep every bit. The run itself stays as it is; one that still goes on is converted as far as it is.\n"
      "Zarr and netCDF also have log_likelihood, posterior_predictive, observed_data and constant_data of a run, as "
      "far "
      "as it knows them.\n"
      "\n"
      "Examples:\n"
      "  darboux convert my-run --to netcdf\n"
      "  darboux convert my-run --to zarr --output my-run/draws.zarr\n"
      "  darboux convert my-run/draws.zarr --to csv --output my-run-csv");
  return {parser, [flags] { return convert_and_print(*flags); }};
}

}  // namespace darboux::cli
