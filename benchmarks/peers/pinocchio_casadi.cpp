// Writes Pinocchio's algorithms as C, through CasADi's symbolic scalars.
//
//   pinocchio_casadi MODEL DIRECTORY FUNCTION [snap]
//
// FUNCTION: rnea, aba_local, aba_world, crba_local, crba_world; writes DIRECTORY/FUNCTION.c and prints one
// line of JSON: operation counts and seconds. "snap" removes rounding dust from the constants.
// The generated function takes (q, qd, x) with x = qdd for rnea, tau for aba, unused for crba.
#include <pinocchio/autodiff/casadi.hpp>

#include "model_file.hpp"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <chrono>
#include <cstdio>
#include <map>

using casadi::SX;
using pinocchio::Convention;
using Model = pinocchio::ModelTpl<SX>;
using Data = pinocchio::DataTpl<SX>;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;

static Vector to_eigen(const SX & x)
{
  Vector v(x.size1());
  for (int i = 0; i < x.size1(); i++) v[i] = x(i);
  return v;
}

template<typename Matrix>
static SX to_casadi(const Matrix & m)
{
  SX x(casadi::Sparsity::dense(m.rows(), m.cols()));
  for (int j = 0; j < m.cols(); j++)
    for (int i = 0; i < m.rows(); i++) x(i, j) = m(i, j);
  return x;
}

static SX upper_mass_matrix(const Model & model, Data & data, const Vector & q, Convention convention)
{
  pinocchio::crba(model, data, q, convention);
  return sparsify(triu(to_casadi(data.M))); // what CRBA fills, without the zeros between branches
}

static SX expression(const std::string & function, const Model & model, const SX & q, const SX & qd,
                     const SX & x)
{
  Data data(model);
  const Vector q_ = to_eigen(q), qd_ = to_eigen(qd), x_ = to_eigen(x);
  if (function == "rnea") return to_casadi(pinocchio::rnea(model, data, q_, qd_, x_));
  if (function == "aba_local")
    return to_casadi(pinocchio::aba(model, data, q_, qd_, x_, Convention::LOCAL));
  if (function == "aba_world")
    return to_casadi(pinocchio::aba(model, data, q_, qd_, x_, Convention::WORLD));
  if (function == "crba_local") return upper_mass_matrix(model, data, q_, Convention::LOCAL);
  if (function == "crba_world") return upper_mass_matrix(model, data, q_, Convention::WORLD);
  throw std::runtime_error("unknown function " + function);
}

static void print_counts(const casadi::Function & f, double seconds)
{
  std::map<casadi_int, long> count;
  for (casadi_int k = 0; k < f.n_instructions(); k++) count[f.instruction_id(k)]++;
  using namespace casadi;
  printf("{\"add\": %ld, \"mul\": %ld, \"div\": %ld, \"sincos\": %ld, \"neg\": %ld, \"sqrt\": %ld, "
         "\"seconds\": %.2f}\n",
         count[OP_ADD] + count[OP_SUB] + count[OP_TWICE], count[OP_MUL] + count[OP_SQ],
         count[OP_DIV] + count[OP_INV], count[OP_SIN] + count[OP_COS], count[OP_NEG], count[OP_SQRT],
         seconds);
}

int main(int argc, char ** argv)
{
  if (argc < 4) {
    fprintf(stderr, "usage: %s MODEL DIRECTORY FUNCTION [snap]\n", argv[0]);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string directory = std::string(argv[2]) + "/", function = argv[3];
  const Model model = read_model(argv[1], argc > 4).cast<SX>();
  const SX q = SX::sym("q", model.nq), qd = SX::sym("qd", model.nv), x = SX::sym("x", model.nv);

  const SX result = cse(expression(function, model, q, qd, x));
  const casadi::Function f(function, {q, qd, x}, {result});
  casadi::CodeGenerator generator(function);
  generator.add(f);
  generator.generate(directory);
  print_counts(f, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
