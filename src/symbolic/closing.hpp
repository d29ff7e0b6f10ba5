// The steps that make a network cheaper, taken one after the other (docs/theory/generation.md,
// eq. 3-6). A step is guessed from what it touches, done, counted, and taken back if the guess was
// wrong. Private to this module.
#pragma once

#include <functional>
#include <random>

#include "network.hpp"

namespace ulna::symbolic_detail {

struct Step {
  enum class Kind { factor, number, pair, scale } kind;
  int gain = 0;            // as guessed
  std::vector<int> rows;   // the sums it changes
  int x = 0, y = 0;        // factor: the common factor x; pair: the two atoms
  double number = 0;       // number: the common magnitude; pair: the multiple of x to build;
                           // scale: what the sum is multiplied by
  std::int64_t ratio = 0;  // pair: of its factors, as in Pair
};

using Weight = std::function<double(const NetworkCost&)>;

class Closing {
 public:
  // Ties between steps are broken by `random`, or by order when it is null.
  Closing(Network& network, Weight weight, std::mt19937* random)
      : network_(network), weight_(std::move(weight)), random_(random) {}

  // Takes the best step in these sums, and in those it changes, as long as one saves something.
  void run(std::vector<int> rows);

 private:
  std::vector<Step> find_steps(const std::vector<int>& rows);
  void find_common_factors(int row, std::vector<Step>& steps);
  void find_common_numbers(int row, std::vector<Step>& steps);
  void find_scale(int row, std::vector<Step>& steps);
  void find_pairs(int row, std::vector<Step>& steps);
  Step pair_step(int x, int y, const std::vector<int>& rows) const;
  int numbers_saved(int atom, const std::vector<int>& rows) const;
  int new_number(double c, int x, const std::vector<int>& rows) const;
  bool has_multiple(int x, double c, double old) const;
  bool own_product(const Term& t) const;
  void split(int row, int factor, Terms& inner, Terms& rest) const;

  void keep_live(std::vector<int>& rows) const;
  std::size_t best_of(const std::vector<Step>& steps) const;
  void open_single_sums(int row);
  void open_single_sums(std::vector<int>& rows);
  bool has_pair(int row, const Step& step) const;
  bool still_there(const Step& step) const;
  bool take(const Step& step);
  void apply(const Step& step);
  void apply_factor(const Step& step);
  void apply_number(const Step& step);
  void apply_pair(const Step& step);

  Network& network_;
  Weight weight_;
  std::mt19937* random_;
  std::vector<int> factors_;  // of one sum, scratch
  std::vector<double> numbers_;
};

}  // namespace ulna::symbolic_detail
