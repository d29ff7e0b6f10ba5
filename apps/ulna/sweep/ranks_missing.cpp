#include <thread>

#include "sweep/ranks.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::cli {

struct Ranks::Messages {};

Ranks::Ranks() {
  if (launched_tasks() > 1)
    throw InputError("several processes were started, and this Ulna was built without MPI",
                     "one process, which uses all processors of the machine",
                     "install libopenmpi-dev and build again");
}
Ranks::~Ranks() = default;
int Ranks::fair_threads() const {
  return allotted(static_cast<int>(std::thread::hardware_concurrency()));
}
int Ranks::total_threads(int own) const { return own; }
int Ranks::first_failed(bool failed) const { return failed ? 0 : -1; }
double Ranks::patience() const { return 0.05; }
bool Ranks::serve(StoreSource&) { return false; }
void Ranks::serve_to_the_end(StoreSource&) {}
void Ranks::compute(int, const Evaluate&, const std::function<bool()>&) {}
bool Ranks::told_to_end() const { return true; }
void Ranks::dismiss(int) {}
bool Ranks::built_in() { return false; }

}  // namespace ulna::cli
