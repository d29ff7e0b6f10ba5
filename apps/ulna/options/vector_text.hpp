#pragma once
// Numbers and vectors as people type them: "0,0.5,-1", "90deg,0,25 mm", "pi/2,-2*pi/3", and by name
// "elbow=90deg,slide=25mm". One reader serves them and the files
// (ulna/model/internal/quantity.hpp). A wrong length names what was expected.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/model/internal/quantity.hpp"

namespace ulna {
class Model;
}

namespace ulna::cli {

/// What a number stands for, and hence which units may follow it. Without a unit it is SI.
enum class Dimension {
  number,
  angle,
  length,
  force,
  torque,
  acceleration,
  time,
  frequency,
  mass,
};

/// What one entry of a vector stands for.
struct Entry {
  std::string name;
  Dimension dimension = Dimension::number;
};

/// `option` is named in messages. `rate` ("/s", "/s^2") makes angles and lengths their rates, also
/// in the unit: 30deg/s. InputError when the text is not exactly one finite number
/// for each entry.
Eigen::VectorXd parse_vector(const std::string& option, const std::string& text,
                             const std::vector<Entry>& entries, const std::string& rate = {});

/// Whether values are given by name.
bool is_named(const std::string& text);

/// "b=2,a=1": places among the entries and the values, in the order typed.
struct NamedNumbers {
  std::vector<int> places;
  std::vector<double> values;
};
/// InputError for what is not NAME=VALUE, for unknown names and for those given twice. `model`: the
/// robot that the entries belong to.
NamedNumbers parse_named(const std::string& option, const std::string& text,
                         const std::vector<Entry>& entries, const std::string& rate = {},
                         const Model* model = nullptr);

/// The place of a name among the entries; InputError with the nearest.
int place_named(const std::string& option, const std::string& name,
                const std::vector<Entry>& entries, const Model* model = nullptr);
/// The names of a list "left,right".
std::vector<std::string> listed_names(const std::string& text);

double parse_number(const std::string& option, const std::string& text,
                    Dimension dimension = Dimension::number);
/// A whole number from `least` to the largest int.
int parse_count(const std::string& option, const std::string& text, int least);

/// The unit that a table shows: "rad", "m" or nothing, with the rate.
std::string unit_of(Dimension dimension, const std::string& rate = {});

/// Entries x, y, z (with a prefix).
std::vector<Entry> xyz(Dimension dimension, const std::string& prefix = {});

}  // namespace ulna::cli
