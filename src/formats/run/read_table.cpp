#include "ulna/formats/read_table.hpp"

#include "run/csv_table.hpp"
#include "text_file.hpp"

namespace ulna {

RecordTable read_table(const std::string& file) {
  CsvTable csv = parse_table(read_text_file(file, 4096 * megabyte), file);
  const long rows = static_cast<long>(csv.columns[0].size());
  if (rows == 0)
    throw InputError(
        Problem{{file}, {}, "holds no records", "lines of numbers after the titles", {}});
  RecordTable table{std::move(csv.titles),
                    Eigen::MatrixXd(rows, static_cast<long>(csv.columns.size()))};
  for (std::size_t k = 0; k < csv.columns.size(); ++k)
    table.values.col(static_cast<long>(k)) =
        Eigen::Map<Eigen::VectorXd>(csv.columns[k].data(), rows);
  return table;
}

}  // namespace ulna
