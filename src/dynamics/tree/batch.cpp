#include "ulna/dynamics/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "common.hpp"
#include "ulna/numerics/internal/threads.hpp"

namespace ulna {
namespace {

/// Memory aligned for the widest register.
class Arena {
 public:
  explicit Arena(std::size_t bytes) : data_(::operator new(bytes, std::align_val_t(64))) {}
  ~Arena() { ::operator delete(data_, std::align_val_t(64)); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  void* data() { return data_; }

 private:
  void* data_;
};

void check_shape(const char* what, long rows, long columns, long states, int expected) {
  if (rows != states || columns != expected)
    throw InputError(fmt::format("{} has shape {} x {}", what, rows, columns),
                     fmt::format("{} x {}, one state per row", states, expected));
}

}  // namespace

bool computed_in_batches(const Model& model) { return model.is_tree() && !model.flexible(); }

void inverse_dynamics_batch(const Model& model, const Eigen::Ref<const StateRows>& q,
                            const Eigen::Ref<const StateRows>& v,
                            const Eigen::Ref<const StateRows>& a, Eigen::Ref<StateRows> tau,
                            int threads) {
  model.require_tree("inverse dynamics");
  model.require_rigid("inverse dynamics of many states at once");
  const long states = q.rows();
  check_shape("q", q.rows(), q.cols(), states, model.coordinates());
  check_shape("v", v.rows(), v.cols(), states, model.speeds());
  check_shape("a", a.rows(), a.cols(), states, model.speeds());
  check_shape("tau", tau.rows(), tau.cols(), states, model.speeds());
  const BatchRows rows{q.data(),        v.data(),          a.data(),
                       tau.data(),      q.outerStride(),   v.outerStride(),
                       a.outerStride(), tau.outerStride(), model.coordinates()};
  const Tree tree = view<double>(model.topology(), model.parameters());
  // Memory first: a thread must not throw.
  constexpr long least_share = 2048;  // states that are worth starting a thread for
  const long wanted = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const long used = std::clamp<long>(states / least_share, 1, wanted);
  std::vector<std::unique_ptr<Arena>> arenas;
  for (long k = 0; k < used; ++k)
    arenas.push_back(
        std::make_unique<Arena>(batch_arena_size(tree.size, model.coordinates(), model.speeds())));
  const auto run = [&](long k) {
    const long first = states * k / used, last = states * (k + 1) / used;
    dynamics_kernels().newton_euler_batch(tree, arenas[k]->data(), rows, first, last);
    if (!model.has_passive()) return;
    for (long i = first; i < last; ++i)
      add_passive_efforts(model, rows.q + i * rows.q_stride, rows.v + i * rows.v_stride, 1,
                          rows.tau + i * rows.tau_stride);
  };
  side_by_side(used, run);
}

}  // namespace ulna
