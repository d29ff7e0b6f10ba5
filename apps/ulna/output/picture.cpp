#include "output/picture.hpp"

#include <numeric>

#include "output/output_file.hpp"
#include "ulna/motion/internal/sample.hpp"
#include "ulna/report/plot.hpp"

namespace ulna::cli {

void write_table(const std::string& file, const RecordTable& table, const std::string& title) {
  const bool png = file.ends_with(".png");
  if (!png && !file.ends_with(".svg"))
    return write_file(file, csv_text({table.titles, table.values}));
  std::vector<int> channels(table.titles.size() - 1);
  std::iota(channels.begin(), channels.end(), 1);
  PlotOptions options;
  options.title = title;
  const std::string svg = plot_svg(table, channels, options);
  write_file(file, png ? png_from_svg(svg) : svg);
}

}  // namespace ulna::cli
