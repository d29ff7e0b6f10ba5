#include <fmt/format.h>

#include "ulna/report/plot.hpp"

namespace ulna {
namespace {

std::string latex_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("_%&#$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// A number without an e: 1.25 \times 10^{-7}.
std::string latex_number(double x) {
  const std::string text = fmt::format("{:.5g}", x);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return "$" + text + "$";
  return fmt::format("${} \\times 10^{{{}}}$", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

}  // namespace

std::string latex_table(const RecordTable& table, const std::vector<int>& channels) {
  std::string out =
      "\\begin{tabular}{llrrrrr}\n\\toprule\nchannel & unit & least & at & greatest & at & final "
      "\\\\\n\\midrule\n";
  for (const int k : channels) {
    const ChannelTitle title = channel_title(table.titles.at(k));
    const auto values = table.values.col(k);
    Eigen::Index least = 0, greatest = 0;
    values.minCoeff(&least);
    values.maxCoeff(&greatest);
    out += fmt::format("{} & {} & {} & {} & {} & {} & {} \\\\\n", latex_text(title.name),
                       latex_text(title.unit), latex_number(values(least)),
                       latex_number(table.values(least, 0)), latex_number(values(greatest)),
                       latex_number(table.values(greatest, 0)),
                       latex_number(values(values.size() - 1)));
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace ulna
