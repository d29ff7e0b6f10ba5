#pragma once
// Algorithms over the nodes of a tree come in two texts: one for rigid bodies, and one for trees
// with flexible bodies among them. Which of the two a robot needs is asked here.

#include "ulna/model/model.hpp"

namespace ulna {

template <class T>
const T& by_bodies(const Model& model, const T& rigid, const T& flexible) {
  return model.flexible() ? flexible : rigid;
}

}  // namespace ulna
