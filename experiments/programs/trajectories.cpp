/// Draws the picture of the README as SVG on standard output: the positions of one particle in one bowl, from one start,
/// under three structures. The motion is the exact one of a Gaussian target.
///
///     build/release/examples/trajectories > docs/images/trajectories.svg

#include <cmath>
#include <cstdio>

#include "integrate/gaussian_flow.hpp"

using namespace darboux;

namespace {

struct Panel {
  const char* title;
  const char* caption;
  PoissonStructure structure;
};

constexpr double panel_width = 260.0;
constexpr double radius = 2.1;  // of the region shown

/// Position q to panel coordinates.
double across(double x) { return 0.5 * panel_width * (1.0 + x / radius); }

void draw(const Panel& panel, double left, const Matrix& precision) {
  std::printf("<g transform=\"translate(%.0f 34)\">\n<text x=\"%.0f\" y=\"-12\" class=\"title\">%s</text>\n", left,
              0.5 * panel_width, panel.title);
  for (const double level : {0.5, 1.0, 1.5})  // contours of the density
    std::printf("<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\" class=\"contour\"/>\n", across(0), across(0),
                across(level / std::sqrt(precision(0, 0))) - across(0),
                across(level / std::sqrt(precision(1, 1))) - across(0));
  const GaussianFlow flow(panel.structure, precision, {0.0, 0.0});
  PhaseBlock z(2, 1);
  z.q(0, 0) = 1.6;
  z.q(1, 0) = 0.2;
  z.p(0, 0) = -0.2;
  z.p(1, 0) = 1.2;
  std::printf("<polyline class=\"path\" points=\"");
  constexpr double step = 0.04;
  for (int i = 0; i < 900; ++i) {
    std::printf("%.1f,%.1f ", across(z.q(0, 0)), across(-z.q(1, 0)));
    flow.advance(z, step);
  }
  std::printf("\"/>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"start\"/>\n", across(1.6), across(-0.2));
  std::printf("<text x=\"%.0f\" y=\"%.0f\" class=\"caption\">%s</text>\n</g>\n", 0.5 * panel_width, panel_width + 18,
              panel.caption);
}

}  // namespace

int main() {
  const Matrix identity = Matrix::identity(2);
  const Matrix zero(2, 2);
  const Matrix turn{{0, 1}, {-1, 0}};
  const Panel panels[] = {
      {"canonical", "E = 0, A = I, G = 0", PoissonStructure::canonical(2)},
      {"magnetic position", "E = 0, A = I, G = 1.5J", PoissonStructure::from_blocks(zero, identity, 1.5 * turn)},
      {"general", "E = 0.5J, A = I, G = −1.4J", PoissonStructure::from_blocks(0.5 * turn, identity, -1.4 * turn)}};
  const Matrix precision = Matrix::diagonal({1.0, 1.3});
  std::printf(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f 320\" role=\"img\">\n"
      "<title>The same particle in the same bowl under three Poisson structures</title>\n"
      "<style>svg{background:#fff;font-family:sans-serif}.title{font-size:15px;text-anchor:middle;fill:#222}"
      ".caption{font-size:12px;text-anchor:middle;fill:#666}.contour{fill:none;stroke:#ddd}"
      ".path{fill:none;stroke:#2b6cb0;stroke-width:1.1;stroke-linejoin:round}.start{fill:#dd6b20}</style>\n",
      3 * panel_width + 40);
  double left = 0.0;
  for (const Panel& panel : panels) {
    draw(panel, left, precision);
    left += panel_width + 20;
  }
  std::puts("</svg>");
}
