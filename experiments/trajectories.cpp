#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/version.hpp>
#include <nlohmann/json.hpp>

#include "experiment.hpp"
#include "integrate/gaussian_flow.hpp"
#include "structure/darboux_basis.hpp"

/// The paper's two pictures: the positions of one particle under three structures, and one motion in two coordinate systems.
namespace darboux::experiments {

namespace {

using Json = nlohmann::ordered_json;

struct Motion {
  std::string_view name, title;
  double e, g;  ///< E = eJ, G = gJ
};
constexpr std::array motions{Motion{"canonical", "Canonical (E = G = 0)", 0.0, 0.0},
                             Motion{"magnetic", "Magnetic (E = 0, G = 1.5J)", 0.0, 1.5},
                             Motion{"general", "General (E = 0.5J, G = −1.4J)", 0.5, -1.4}};

const Matrix turn{{0, 1}, {-1, 0}};
const Matrix precision = Matrix::diagonal({1.0, 1.3});
constexpr std::array start{1.6, 0.2, -0.2, 1.2};  // (q, p)

PoissonStructure structure_of(const Motion& motion) {
  return PoissonStructure::from_blocks(motion.e * turn, Matrix::identity(2), motion.g * turn);
}

/// Points of the exact motion.
template <class OnPoint>
void follow(const PoissonStructure& structure, double duration, int points, const OnPoint& on_point) {
  const GaussianFlow flow(structure, precision, {0.0, 0.0});
  PhaseBlock z(2, 1);
  for (Index j = 0; j < 2; ++j) {
    z.q(j, 0) = start.at(static_cast<std::size_t>(j));
    z.p(j, 0) = start.at(static_cast<std::size_t>(j) + 2);
  }
  for (int i = 0; i <= points; ++i) {
    on_point(i * duration / points, std::array{z.q(0, 0), z.q(1, 0), z.p(0, 0), z.p(1, 0)});
    flow.advance(z, duration / points);
  }
}

Tables three_structures() {
  Tables tables;
  for (const Motion& motion : motions)
    follow(structure_of(motion), 36.0, 900, [&](double t, const std::array<double, 4>& z) {
      append_row(tables["positions"], {{"structure", motion.name}, {"time", t}, {"q1", z[0]}, {"q2", z[1]}});
    });
  return tables;
}

/// The general motion as z and as z̃ = F z, and the basis vectors of each system in the other: columns of B and of F.
Tables change_of_basis() {
  const PoissonStructure structure = structure_of(motions[2]);
  const DarbouxBasis basis = schur_basis(structure);
  Tables tables;
  const auto add = [&](std::string_view system, double t, const std::array<double, 4>& z) {
    append_row(tables["motion"],
               {{"system", system}, {"time", t}, {"q1", z[0]}, {"q2", z[1]}, {"p1", z[2]}, {"p2", z[3]}});
  };
  follow(structure, 12.0, 400, [&](double t, const std::array<double, 4>& z) {
    add("non-canonical", t, z);
    std::array<double, 4> canonical{};
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        canonical.at(static_cast<std::size_t>(i)) += basis.F(i, j) * z.at(static_cast<std::size_t>(j));
    add("canonical", t, canonical);
  });
  const auto add_basis = [&](std::string_view system, const Matrix& m) {
    for (Index j = 0; j < 4; ++j)
      append_row(
          tables["basis"],
          {{"system", system}, {"vector", j + 1}, {"q1", m(0, j)}, {"q2", m(1, j)}, {"p1", m(2, j)}, {"p2", m(3, j)}});
  };
  add_basis("non-canonical", basis.B);
  add_basis("canonical", basis.F);
  return tables;
}

/// The farthest from the origin that any of the points is.
double reach(const Table& points, std::string_view x, std::string_view y) {
  double most = 0.0;
  for (std::size_t i = 0; i < row_count(points); ++i)
    most = std::max(most, std::hypot(numbers(points, x)[i], numbers(points, y)[i]));
  return most;
}

/// Axes of equal scales, with room for all that is within `radius`.
Json plane(std::string_view x, std::string_view y, double radius) {
  const double end = std::ceil(2.0 * radius) / 2.0;
  const auto axis = [&](std::string_view field) {
    return Json{{"field", field},
                {"type", "quantitative"},
                {"title", fmt::format("{} (units of the target)", field)},
                {"scale", {{"domain", {-end, end}}}},
                {"axis", {{"tickCount", 4}}}};
  };
  return {{"x", axis(x)}, {"y", axis(y)}};
}

Figure path_figure(const Table& positions, const Motion& motion) {
  const Table path = where(positions, {{"structure", motion.name}});
  Json encoding = plane("q1", "q2", reach(positions, "q1", "q2"));
  encoding["order"] = {{"field", "time"}, {"type", "quantitative"}};
  const Json spec{{"mark", {{"type", "line"}, {"color", "#3d6d9e"}, {"strokeWidth", 1.2}}}, {"encoding", encoding}};
  return {.title = fmt::format("{}: up to {:.2f} from the centre", motion.title, reach(path, "q1", "q2")),
          .spec = spec.dump(),
          .height = 360,
          .square = true,
          .data = path};
}

/// Positions or momenta of the motion in one system, with the basis vectors of the other.
Figure basis_figure(const Tables& tables, std::string_view system, std::string_view x, std::string_view y) {
  const Table path = where(tables.at("motion"), {{"system", system}});
  const Table arrows = where(tables.at("basis"), {{"system", system}});
  Table data;
  for (std::size_t i = 0; i < row_count(path); ++i)
    append_row(
        data,
        {{"what", "motion"}, {"order", numbers(path, "time")[i]}, {x, numbers(path, x)[i]}, {y, numbers(path, y)[i]}});
  for (std::size_t i = 0; i < row_count(arrows); ++i)
    for (const double end : {0.0, 1.0})
      append_row(data, {{"what", fmt::format("basis vector {}", i + 1)},
                        {"order", end},
                        {x, end * numbers(arrows, x)[i]},
                        {y, end * numbers(arrows, y)[i]}});
  const bool canonical = system == "canonical";
  Json encoding = plane(x, y, reach(data, x, y));
  encoding["order"] = {{"field", "order"}, {"type", "quantitative"}};
  encoding["detail"] = {{"field", "what"}, {"type", "nominal"}};
  const auto lines = [](const char* test, const char* color, double width) {
    return Json{{"transform", {{{"filter", test}}}},
                {"mark", {{"type", "line"}, {"color", color}, {"strokeWidth", width}}}};
  };
  const Json spec{{"encoding", encoding},
                  {"layer",
                   {lines("datum.what === 'motion'", canonical ? "#ee7d11" : "#3d6d9e", 1.2),
                    lines("datum.what !== 'motion'", canonical ? "#7fb2dc" : "#f9a95c", 3.0)}}};
  return {.title = fmt::format("{} {}: up to {:.2f} from the origin", canonical ? "Canonical" : "Non-canonical",
                               x == "q1" ? "position" : "momentum", reach(path, x, y)),
          .caption =
              canonical ? "Thick: the basis of the non-canonical system." : "Thick: the basis of the canonical system.",
          .spec = spec.dump(),
          .height = 320,
          .square = true,
          .data = std::move(data)};
}

/// "canonical up to 1.94 from the centre, magnetic …".
std::string reaches(const Tables& tables) {
  std::string text;
  for (const Motion& motion : motions)
    text += fmt::format("{}{} up to {:.2f}", text.empty() ? "" : ", ", motion.name,
                        reach(where(tables.at("positions"), {{"structure", motion.name}}), "q1", "q2"));
  return text + " from the centre";
}

Findings reduce(const Tables& tables) {
  ReportSection paths{
      .id = "trajectories",
      .name = "Trajectories",
      .title = "One start and one energy, three structures: three different paths",
      .text = {"Positions of the exact motion for a Gaussian target with precisions 1 and 1.3, over 36 units "
               "of time; J = [[0, 1], [−1, 0]]. Energy is the same throughout, whatever the structure."},
      .contrasts = {
          {"Particles of one Gaussian Hamiltonian take different paths under different symplectic structures; "
           "numbers are not given.",
           "The same three kinds of structure, with numbers of our choice: " + reaches(tables) + "."}}};
  for (const Motion& motion : motions) paths.figures.push_back(path_figure(tables.at("positions"), motion));
  ReportSection basis{
      .id = "change-of-basis",
      .name = "Change of basis",
      .title = "One motion in two coordinate systems, which a linear map turns into each other",
      .text = {"The general structure's motion as z = (q, p), and as z̃ = F z in the coordinates where that "
               "structure is canonical; B = F⁻¹ has the least norm of all such bases."},
      .contrasts = {{"A linear change of basis makes canonical motion of non-canonical motion, and back; in the "
                     "canonical coordinates explicit integration is possible.",
                     "The same, in the Schur basis; thick lines are the basis vectors of the other system."}}};
  for (const std::string_view system : {"non-canonical", "canonical"}) {
    basis.figures.push_back(basis_figure(tables, system, "q1", "q2"));
    basis.figures.push_back(basis_figure(tables, system, "p1", "p2"));
  }
  return {.sections = {std::move(paths), std::move(basis)}, .claims = {}};
}

}  // namespace

Experiment trajectories_experiment(const Scale& /*scale*/) {
  return {.name = "trajectories",
          .title = "The paper's two pictures",
          .cells = {{.key = "trajectories/three-structures",
                     .settings = {{"version", version()}},
                     .compute = [](const std::atomic<bool>&) { return three_structures(); }},
                    {.key = "trajectories/change-of-basis",
                     .settings = {{"version", version()}},
                     .compute = [](const std::atomic<bool>&) { return change_of_basis(); }}},
          .reduce = reduce};
}

}  // namespace darboux::experiments
