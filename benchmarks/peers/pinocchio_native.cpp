// Times Pinocchio's algorithms called from C++.
//
//   pinocchio_native MODEL STATES FUNCTION KIND...
//
// FUNCTION: rnea, aba_local, aba_world, crba_local, crba_world; KIND: see ../timing.h.
#include "model_file.hpp"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <vector>

#include "../states.h"
#include "../timing.h"

using Eigen::VectorXd;
using pinocchio::Convention;

struct Inputs
{
  std::vector<VectorXd> q, qd, qdd, tau;
};

static std::vector<VectorXd> rows(const double * array, int count, int columns)
{
  std::vector<VectorXd> result;
  for (int i = 0; i < count; i++)
    result.push_back(Eigen::Map<const VectorXd>(array + i * columns, columns));
  return result;
}

static Inputs inputs_of(const states & s)
{
  return {rows(s.q, s.count, s.nq), rows(s.qd, s.count, s.nv), rows(s.qdd, s.count, s.nv),
          rows(s.tau, s.count, s.nv)};
}

// Pinocchio fills the upper triangle only
static Eigen::MatrixXd symmetric(const Eigen::MatrixXd & upper)
{
  return upper.selfadjointView<Eigen::Upper>();
}

struct Bench
{
  const pinocchio::Model & model;
  const states & s;
  const Inputs & in;
  const std::vector<std::string> kinds;
  pinocchio::Data data;

  template<typename Run, typename Result>
  void operator()(Run run, Result result, const double * reference)
  {
    double error = 0;
    for (int i = 0; i < s.count; i++) {
      run(i);
      const Eigen::MatrixXd value = result();
      const int n = (int)value.size();
      error = std::max(error, relative_error(value.data(), reference + (long)i * n, n));
    }
    print_error(error);
    for (const std::string & kind : kinds) MEASURE(kind.c_str(), s.count, i, run(i));
  }

  void rnea()
  {
    (*this)([&](int i) { pinocchio::rnea(model, data, in.q[i], in.qd[i], in.qdd[i]); },
            [&] { return data.tau; }, s.tau_ref);
  }

  void aba(Convention convention)
  {
    (*this)([&](int i) { pinocchio::aba(model, data, in.q[i], in.qd[i], in.tau[i], convention); },
            [&] { return data.ddq; }, s.qdd_ref);
  }

  void crba(Convention convention)
  {
    (*this)([&](int i) { pinocchio::crba(model, data, in.q[i], convention); },
            [&] { return symmetric(data.M); }, s.mass_ref);
  }
};

int main(int argc, char ** argv)
{
  if (argc < 5) {
    fprintf(stderr, "usage: %s MODEL STATES FUNCTION KIND...\n", argv[0]);
    return 2;
  }
  const pinocchio::Model model = read_model(argv[1]);
  const states s = read_states(argv[2]);
  const Inputs in = inputs_of(s);
  const std::string function = argv[3];
  if (s.nq != model.nq || s.nv != model.nv) throw std::runtime_error("states of another model");

  Bench bench{model, s, in, {argv + 4, argv + argc}, pinocchio::Data(model)};
  if (function == "rnea") bench.rnea();
  else if (function == "aba_local") bench.aba(Convention::LOCAL);
  else if (function == "aba_world") bench.aba(Convention::WORLD);
  else if (function == "crba_local") bench.crba(Convention::LOCAL);
  else if (function == "crba_world") bench.crba(Convention::WORLD);
  else throw std::runtime_error("unknown function " + function);
}
