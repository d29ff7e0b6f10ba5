#pragma once
// Vectors as people type them: "0,0.5,-1", "90deg,0,25mm". Independent of the locale; only finite
// numbers. A wrong length names what was expected.

#include <Eigen/Core>
#include <string>
#include <vector>

namespace ulna::cli {

/// Which units may follow a number: none; rad, deg; m, cm, mm. Without a unit it is SI.
enum class Dimension { number, angle, length };

/// What one entry of a vector stands for.
struct Entry {
  std::string name;
  Dimension dimension = Dimension::number;
};

/// `option` is named in messages. `rate` ("/s", "/s^2") may follow the units. InputError when the
/// text is not exactly one finite number for each entry.
Eigen::VectorXd parse_vector(const std::string& option, const std::string& text,
                             const std::vector<Entry>& entries, const std::string& rate = {});

double parse_number(const std::string& option, const std::string& text);
/// A whole number from `least` to the largest int.
int parse_count(const std::string& option, const std::string& text, int least);

/// The unit that a table shows: "rad", "m" or nothing, with the rate.
std::string unit_of(Dimension dimension, const std::string& rate = {});

/// Entries x, y, z (with a prefix).
std::vector<Entry> xyz(Dimension dimension, const std::string& prefix = {});

}  // namespace ulna::cli
