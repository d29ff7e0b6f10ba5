#include "output/picture.hpp"

#include <numeric>

#include "output/output_file.hpp"
#include "ulna/motion/internal/sample.hpp"
#include "ulna/report/plot.hpp"

namespace ulna::cli {

void write_table(const std::string& file, const RecordTable& table, const std::string& title) {
  if (!is_picture(file)) return write_file(file, csv_text({table.titles, table.values}));
  std::vector<int> channels(table.titles.size() - 1);
  std::iota(channels.begin(), channels.end(), 1);
  PlotOptions options;
  options.title = title;
  const std::string svg = plot_svg(table, channels, options);
  write_picture(file, svg);
}

bool is_picture(const std::string& file) {
  return file.ends_with(".png") || file.ends_with(".svg") || file.ends_with(".pdf");
}

void write_picture(const std::string& file, const std::string& svg) {
  if (file.ends_with(".png"))
    write_file(file, png_from_svg(svg));
  else
    write_file(file, file.ends_with(".pdf") ? pdf_from_svg(svg) : svg);
}

}  // namespace ulna::cli
