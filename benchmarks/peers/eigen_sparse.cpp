// Eigen's SparseLU behind C functions: the pattern is analyzed once, values are new each time.
#include <Eigen/SparseLU>

#include <cstdint>
#include <cstring>
#include <vector>

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int32_t>;

namespace {
struct Solver {
    Matrix matrix;
    Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int32_t>> lu;
};
}

extern "C" __attribute__((visibility("default"))) void *eigen_begin(
    int32_t n, const int32_t *begin, const int32_t *row, const double *values)
{
    auto *solver = new Solver;
    solver->matrix = Eigen::Map<const Matrix>(n, n, begin[n], begin, row, values);
    solver->lu.analyzePattern(solver->matrix);
    return solver;
}

extern "C" __attribute__((visibility("default"))) void eigen_run(
    void *context, const double *values, const double *b, double *x)
{
    auto *solver = static_cast<Solver *>(context);
    const auto n = solver->matrix.rows();
    std::memcpy(solver->matrix.valuePtr(), values, sizeof(double) * solver->matrix.nonZeros());
    solver->lu.factorize(solver->matrix);
    Eigen::Map<Eigen::VectorXd>(x, n) = solver->lu.solve(Eigen::Map<const Eigen::VectorXd>(b, n));
}
