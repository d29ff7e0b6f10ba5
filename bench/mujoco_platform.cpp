// MuJoCo on a platform: the balls are `connect` equality constraints, which MuJoCo keeps softly;
// with an impedance of 0.9999 its accelerations are right to about that much from rest; in motion
// it leaves out how fast the rows of the constraints turn. Newton's method, no contacts and limits.
// Inertias of zero (thin legs about their axes) become 1e-12 kg m^2, as it must have some. (It has
// no inverse dynamics for some joints only.)

#include <mujoco/mujoco.h>

#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "platform_peer.hpp"

namespace ulna::bench {
namespace {

template <class Numbers>
std::string text(const Numbers& numbers) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(std::numeric_limits<double>::max_digits10);
  for (double x : numbers) out << x << ' ';
  return out.str();
}

void write_bodies(std::ostream& out, const PlatformSpec& spec, int parent) {
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const PlatformSpec::Body& body = spec.bodies[i];
    if (body.parent != parent) continue;
    std::array<double, 4> turn, axes;
    mju_mat2Quat(turn.data(), body.R_PJ.data());
    Vector3 moments;
    Matrix3 vectors;
    mju_eig3(moments.data(), vectors.data(), axes.data(), body.I_BBcm.data());
    out << "<body name=\"b" << i << "\" pos=\"" << text(body.p_PJ) << "\" quat=\"" << text(turn)
        << "\"><inertial mass=\"" << text(std::array{body.mass}) << "\" pos=\"" << text(body.p_BBcm)
        << "\" quat=\"" << text(axes) << "\" diaginertia=\"" << text(moments) << "\"/>";
    if (body.kind == PlatformSpec::Kind::free)
      out << "<freejoint name=\"j" << i << "\"/>";
    else
      out << "<joint name=\"j" << i << "\" type=\""
          << (body.kind == PlatformSpec::Kind::hinge ? "hinge" : "slide") << "\" axis=\""
          << text(body.axis) << "\"/>";
    write_bodies(out, spec, static_cast<int>(i));
    out << "</body>";
  }
}

std::string mjcf(const PlatformSpec& spec) {
  std::ostringstream out;
  out << "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" boundmass=\"0\" "
         "boundinertia=\"1e-12\"/><option gravity=\""
      << text(spec.gravity)
      << "\" solver=\"Newton\" tolerance=\"1e-12\" iterations=\"100\"><flag contact=\"disable\" "
         "limit=\"disable\"/></option><worldbody>";
  write_bodies(out, spec, -1);
  out << "</worldbody><equality>";
  for (const PlatformSpec::Ball& ball : spec.balls)
    out << "<connect body1=\"b" << ball.a << "\" body2=\"b" << ball.b << "\" anchor=\""
        << text(ball.p_a) << "\" solimp=\"0.9999 0.9999 0.001\"/>";
  out << "</equality></mujoco>";
  return out.str();
}

class MujocoPlatform : public PlatformPeer {
 public:
  explicit MujocoPlatform(const PlatformSpec& spec) : spec_(spec) {
    const std::string xml = mjcf(spec);
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "platform.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[files->nfile - 1], xml.data(), xml.size());
    char error[1000] = "";
    model_ = mj_loadXML("platform.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    // The compiler takes the second anchor from the posture at zero, which is not closed.
    for (std::size_t k = 0; k < spec.balls.size(); ++k)
      for (int c = 0; c < 3; ++c)
        model_->eq_data[mjNEQDATA * k + 3 + static_cast<std::size_t>(c)] =
            spec.balls[k].p_b[static_cast<std::size_t>(c)];
  }
  ~MujocoPlatform() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  std::string name() const override { return "mujoco " + std::string(mj_versionString()); }

  void set_states(const std::vector<PlatformState>& states) override {
    for (const PlatformState& s : states) {
      State own{std::vector<double>(model_->nq), std::vector<double>(model_->nv),
                std::vector<double>(model_->nv)};
      for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
        const PlatformSpec::Body& body = spec_.bodies[i];
        const int q = model_->jnt_qposadr[i], v = model_->jnt_dofadr[i];
        if (body.kind != PlatformSpec::Kind::free) {
          own.q[q] = s.q[body.q];
          own.v[v] = s.v[body.v];
          own.tau[v] = s.tau[body.v];
          continue;
        }
        // Its pose is that in the world here.
        double turn[4];
        mju_mat2Quat(turn, body.R_PJ.data());
        mju_mulQuat(&own.q[q + 3], turn, &s.q[body.q]);
        mju_rotVecQuat(&own.q[q], &s.q[body.q + 4], turn);
        for (int c = 0; c < 3; ++c) own.q[q + c] += body.p_PJ[static_cast<std::size_t>(c)];
        // Velocities of its origin are in the world's axes here, its efforts zero.
        mju_rotVecQuat(&own.v[v], &s.v[body.v + 3], &own.q[q + 3]);
        for (int c = 0; c < 3; ++c) own.v[v + 3 + c] = s.v[body.v + c];
      }
      states_.push_back(std::move(own));
    }
  }
  void forward(std::size_t k) override {
    const State& s = states_[k];
    std::memcpy(data_->qpos, s.q.data(), s.q.size() * sizeof(double));
    std::memcpy(data_->qvel, s.v.data(), s.v.size() * sizeof(double));
    std::memcpy(data_->qfrc_applied, s.tau.data(), s.tau.size() * sizeof(double));
    mj_forwardSkip(model_, data_, mjSTAGE_NONE, 1);
  }
  std::vector<double> leg_accelerations() const override {
    std::vector<double> a;
    for (const int leg : spec_.legs)
      for (std::size_t i = 0; i < spec_.bodies.size(); ++i)
        if (spec_.bodies[i].v == leg) a.push_back(data_->qacc[model_->jnt_dofadr[i]]);
    return a;
  }

 private:
  struct State {
    std::vector<double> q, v, tau;
  };
  PlatformSpec spec_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<State> states_;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::PlatformPeer* make_platform_peer(const ulna::bench::PlatformSpec& spec) {
  return new ulna::bench::MujocoPlatform(spec);
}
