"""Timing of Pinocchio's ADMM for contact problems; arguments and result as in siconos_contacts.py.

The matrix is passed before the timing starts. The settings are the fastest ones on the rover's
problems: spectral updates of the penalty and Anderson acceleration (the defaults take twice as
long). Times are Pinocchio's own, without the overhead of Python.
"""

import sys

import numpy as np
import pinocchio as pin

ITERATIONS, REPEATS = 2000, 5
ANDERSON = 5
NORMAL_LAST = [1, 2, 0]  # its order of rows


def settings(tolerance):
    """Settings of the solver."""
    wished = pin.ADMMSolverSettings()
    wished.max_iterations, wished.measure_timings = ITERATIONS, True
    wished.absolute_feasibility_tol = wished.absolute_complementarity_tol = tolerance
    wished.relative_feasibility_tol = wished.relative_complementarity_tol = 0.0
    wished.admm_update_rule = pin.ADMMUpdateRule.SPECTRAL
    wished.anderson_capacity = ANDERSON
    return wished


def cones(model, mu):
    """A contact for each friction coefficient; only their cones matter."""
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for coefficient in mu:
        contact = pin.PointContactConstraintModel(model, 1)
        contact.setFriction(float(coefficient))
        each = pin.ConstraintModel(contact)
        models.append(each)
        datas.append(each.createData())
    return models, datas


def solve(model, W, q, mu, tolerance):
    """Impulses and the shortest time of some calls [s]."""
    rows = len(q)
    order = np.arange(rows).reshape(-1, 3)[:, NORMAL_LAST].ravel()
    turned, free = np.asfortranarray(W[np.ix_(order, order)]), q[order].copy()
    contacts, best = cones(model, mu), np.inf
    for _ in range(REPEATS):
        operator, found = pin.DelassusOperatorDense(turned), pin.ADMMSolverResult()
        solver = pin.ADMMConstraintSolver(rows)
        solver.solve(operator, free, *contacts, settings(tolerance), found)
        best = min(best, 1e-6 * solver.getElapsedTime())
    r = np.empty(rows)
    r[order] = found.retrieveConstraintImpulses()
    return r, best


def main():
    posed, result, tolerances = sys.argv[1], sys.argv[2], sys.argv[3:]
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    data = np.load(posed)
    count = sum(name.endswith("_q") for name in data.files)
    found = {}
    for tolerance in tolerances:
        times = []
        for k in range(count):
            given = (data[f"{k}_{name}"] for name in ("W", "q", "mu"))
            found[f"{tolerance}_{k}_r"], seconds = solve(model, *given, float(tolerance))
            times.append(seconds)
        found[f"{tolerance}_time"] = np.array(times)
    np.savez(result, **found)


main()
