// Where coordinates, speeds, controller states and works are among the integrated numbers.

#include "ulna/simulation/internal/state_layout.hpp"

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "machines.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

TEST(StateLayout, EveryFreeNumberHasOnePlaceAndDrivenOnesHaveNone) {
  testing::Generator g(11);
  testing::RobotRecipe recipe;
  recipe.types = testing::all_moving_types;
  recipe.branches = true;
  for (int round = 0; round < 20; ++round) {
    const Model model(testing::random_robot(g, recipe));
    std::vector<Drive> drives(model.joints().size());
    for (Drive& drive : drives)
      drive.kind = testing::uniform(g, 0, 1) < 0.4 ? DriveKind::locked : DriveKind::free;
    const StateLayout layout(model, drives, 4);
    EXPECT_EQ(layout.free_q.size() + layout.driven_q.size(),
              static_cast<std::size_t>(model.coordinates()));
    EXPECT_EQ(layout.free_v.size() + layout.driven_v.size(),
              static_cast<std::size_t>(model.speeds()));
    EXPECT_EQ(layout.size, layout.first_work + 3);
    EXPECT_EQ(layout.first_work, layout.first_z + 4);
    for (int k = 0; k < model.speeds(); ++k) {
      const int place = layout.place[static_cast<std::size_t>(k)];
      EXPECT_EQ(place < 0, layout.driven[static_cast<std::size_t>(k)] != 0);
      if (place < 0) continue;
      EXPECT_EQ(layout.free_v[static_cast<std::size_t>(place)], k);
    }
    // Taking what was put gives it back, and leaves driven entries alone.
    const Eigen::VectorXd q = model.random(g), v = testing::random_entries(g, model.speeds());
    Eigen::VectorXd y = Eigen::VectorXd::Zero(layout.size);
    layout.put(q, v, y.data());
    Eigen::VectorXd q_back = q, v_back = v;
    for (const int k : layout.free_q) q_back(k) = 0;
    for (const int k : layout.free_v) v_back(k) = 0;
    layout.take(y.data(), q_back, v_back);
    EXPECT_EQ(q_back, q);
    EXPECT_EQ(v_back, v);
    for (const int first : layout.quaternions) EXPECT_NEAR(y.segment<4>(first).norm(), 1, 1e-12);
  }
}

TEST(StateLayout, ModesOfFlexibleBodiesAreIntegratedWhateverDrivesTheJoints) {
  const Model model(read_robot("flexible-two-link").robot);
  std::vector<Drive> drives(model.joints().size());
  for (Drive& drive : drives) drive.kind = DriveKind::locked;
  const StateLayout layout(model, drives, 0);
  EXPECT_EQ(layout.free_v.size(), static_cast<std::size_t>(model.modes()));
  EXPECT_FALSE(layout.curved());
}

}  // namespace
}  // namespace ulna
