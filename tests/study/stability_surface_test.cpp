// Where a flexible body on a moving base buckles: docs/theory/flexible.md, eq. 29, 34.

#include "ulna/study/internal/stability_surface.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/elastic/modal_body.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

TEST(StabilitySurface, OneModeOfABareBeamHasTheClosedForm) {
  const Model model(with_bending_modes(read_robot("spinning-beam").robot, 1));
  const StabilitySurface s = stability_surface(model, 0, {0, 0.5, 1, 2}, {0, 0.3});
  EXPECT_NEAR(s.first_frequency, 3.798, 1e-3);
  EXPECT_NEAR(s.spin, 0.193336, 1e-6);
  EXPECT_NEAR(s.axial, -1.570878, 1e-6);
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const double x = s.x[i], critical = (1 + 0.193336 * x * x) / 1.570878;
    EXPECT_NEAR(s.critical(static_cast<long>(i)), critical, 1e-5);
    for (std::size_t k = 0; x > 0 && k < s.z.size(); ++k)
      EXPECT_NEAR(s.y(static_cast<long>(i), static_cast<long>(k)),
                  -((1 / 1.570878 - s.z[k]) / x + 0.193336 / 1.570878 * x), 1e-5);
  }
  EXPECT_TRUE(std::isnan(s.y(0, 0)));
}

TEST(StabilitySurface, TheTipBodyMakesAxialAccelerationMatter) {
  Robot robot = read_robot("flexible-two-link").robot;
  const auto buckling = [](const Robot& r) {
    const StabilitySurface s = stability_surface(Model(r), 1, {0}, {});
    return s.metres_per_second_squared(s.critical(0)) / 9.81;
  };
  EXPECT_NEAR(buckling(with_bending_modes(robot, 2)), 1.77, 0.006);
  robot.bodies[1].beams[0].attached.clear();
  make_flexible(robot);
  EXPECT_NEAR(buckling(robot), 21.85, 0.01);
}

TEST(StabilitySurface, RefusesWhatHasNoMeaning) {
  const Model beam(read_robot("spinning-beam").robot);
  EXPECT_THROW(stability_surface(beam, 1, {0}, {}), InputError);
  EXPECT_THROW(stability_surface(beam, 0, {-1}, {}), InputError);
  EXPECT_THROW(stability_surface(Model(read_robot("puma560").robot), 0, {0}, {}), InputError);
}

}  // namespace
}  // namespace ulna
