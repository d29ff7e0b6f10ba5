// A loop unrolled for certain: unroll<N>(body) runs body for i = 0, ..., N - 1 as constants.
//
//     unroll<3>([&]<int i>() __attribute__((always_inline)) { y[i] = a * x[i]; });
#pragma once

namespace ulna {

template <int N, class Body>
[[gnu::always_inline]] inline void unroll(const Body& body) {
  if constexpr (N > 0) {
    unroll<N - 1>(body);
    body.template operator()<N - 1>();
  }
}

}  // namespace ulna
