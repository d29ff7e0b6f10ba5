// Matrix Market files: read in all their forms, written back bit by bit, and refused with their
// line.

#include "ulna/formats/internal/matrix_market.hpp"
#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

Eigen::MatrixXd matrix_of(const std::string& text) {
  return Eigen::MatrixXd(read_matrix_market_text(text, "A.mtx"));
}
std::string market_complaint(const std::string& text) {
  return complaint([&] { read_matrix_market_text(text, "A.mtx"); });
}

TEST(MatrixMarket, CoordinateAndArrayGeneralAndSymmetric) {
  const Eigen::Matrix2d A = (Eigen::Matrix2d() << 1.5, -2, -2, 4).finished();
  EXPECT_EQ(matrix_of("%%MatrixMarket matrix coordinate real symmetric\n% note\n\n2 2 3\n1 1 1.5\n"
                      "2 1 -2e0\n2 2 +4\n"),
            A);
  EXPECT_EQ(matrix_of("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 5\n"),
            (Eigen::Matrix2d() << 0, 3, 5, 0).finished());
  EXPECT_EQ(matrix_of("%%MatrixMarket matrix array real symmetric\n2 2\n1.5\n-2\n4\n"), A);
  EXPECT_EQ(matrix_of("%%matrixmarket MATRIX array real general\r\n2 2\r\n1\r\n2\r\n3\r\n4\r\n"),
            (Eigen::Matrix2d() << 1, 3, 2, 4).finished());
}

TEST(MatrixMarket, RoundTrip) {
  Eigen::SparseMatrix<double> A(3, 3);
  A.insert(0, 0) = 1.0 / 3, A.insert(2, 1) = -1e-17, A.insert(1, 2) = -1e-17;
  EXPECT_EQ(matrix_of(write_matrix_market(A, "a comment")), Eigen::MatrixXd(A));
}

TEST(MatrixMarket, SizesAreBoundedByTheFileAndEntriesByTheirCount) {
  const std::string first_line = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_THAT(market_complaint(first_line + "100000000 100000000 0\n"), HasSubstr("in a file of"));
  EXPECT_THAT(market_complaint(first_line + "0 100000000 0\n"), HasSubstr("in a file of"));
  EXPECT_THAT(market_complaint(first_line + "2 2 1\n1 1 1\n2 2 5\n"), HasSubstr("A.mtx:4"));
  EXPECT_EQ(market_complaint(first_line + "2 2 1\n1 1 1\n% the end\n\n"), "accepted");
}

TEST(MatrixMarket, MistakesNameTheLine) {
  EXPECT_THAT(market_complaint("hello\n"), HasSubstr("A.mtx:1"));
  EXPECT_THAT(market_complaint("%%MatrixMarket matrix coordinate complex general\n"),
              HasSubstr("real or integer"));
  EXPECT_THAT(market_complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n"),
              HasSubstr("A.mtx:3: matrix: 'x' is not a finite number"));
  EXPECT_THAT(market_complaint("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n"),
              HasSubstr("the file ends here"));
  EXPECT_THAT(market_complaint("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
              HasSubstr("not square"));
  EXPECT_THAT(market_complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n"),
              HasSubstr("1 .. 2"));
}

}  // namespace
}  // namespace ulna
