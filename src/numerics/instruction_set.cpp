#include "ulna/numerics/internal/instruction_set.hpp"

#include <cstdlib>
#include <string_view>

namespace ulna {
namespace {

InstructionSet best_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? InstructionSet::v4 : v3 ? InstructionSet::v3 : InstructionSet::baseline;
#else
  return InstructionSet::baseline;
#endif
}

InstructionSet choose() {
  const InstructionSet best = best_of_processor();
  const char* wish = std::getenv("ULNA_INSTRUCTION_SET");
  if (!wish) return best;
  for (InstructionSet set : {InstructionSet::baseline, InstructionSet::v3, InstructionSet::v4})
    if (std::string_view(wish) == name_of(set) && set <= best) return set;
  return best;
}

}  // namespace

const char* name_of(InstructionSet set) {
  constexpr const char* names[] = {"baseline", "v3", "v4"};
  return names[static_cast<int>(set)];
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = choose();
  return chosen;
}

}  // namespace ulna
