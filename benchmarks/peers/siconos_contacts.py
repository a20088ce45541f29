"""Timing of Siconos' contact solvers, run by the distribution's Python without inloop.

python3 siconos_contacts.py PROBLEMS.npz RESULT.npz TOLERANCE ...

Problems are "<k>_W", "<k>_q", "<k>_mu"; the result has for each tolerance "<tolerance>_time" [s of
the thread, by problem] and "<tolerance>_<k>_r".
"""

import sys
import time

import numpy as np
import siconos.numerics as sn

ITERATIONS, REPEATS = 2000, 3


def solve(W, q, mu, tolerance):
    """Impulses and the shortest time of some calls [s]."""
    problem = sn.FrictionContactProblem(3, np.asfortranarray(W), q, mu)
    best = np.inf
    for _ in range(REPEATS):
        options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = ITERATIONS
        r, u = np.zeros(len(q)), np.zeros(len(q))
        begin = time.thread_time()
        sn.fc3d_nsgs(problem, r, u, options)
        best = min(best, time.thread_time() - begin)
    return r, best


def main():
    posed, result, tolerances = sys.argv[1], sys.argv[2], sys.argv[3:]
    data = np.load(posed)
    count = sum(name.endswith("_q") for name in data.files)
    found = {}
    for tolerance in tolerances:
        times = []
        for k in range(count):
            given = (data[f"{k}_{name}"] for name in ("W", "q", "mu"))
            found[f"{tolerance}_{k}_r"], seconds = solve(*given, float(tolerance))
            times.append(seconds)
        found[f"{tolerance}_time"] = np.array(times)
    np.savez(result, **found)


main()
