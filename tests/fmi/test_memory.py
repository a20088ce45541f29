"""Instances give back all their memory and touch nothing else, under valgrind."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import fmpy
import pytest
from fmu_models import plant_named

# an output whose start is set, and where
STARTS = {"four_bar": ("bar_0.q", "-0.2"), "bouncing_ball": ("ball.q", "0.7")}
# calls functions of FMI 3.0 by name: co-simulation with states kept, then model exchange
DRIVER = """
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *fmu;
#define LOAD(type, name, ...) type (*name)(__VA_ARGS__); *(void **)&name = dlsym(library, #name)
#define CHECK(call) \\
    do { if ((call) != 0) { fprintf(stderr, "failed: %s\\n", #call); return 1; } } while (0)

int main(int count, char **words)
{
    void *library = count > 4 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) { fprintf(stderr, "%s\\n", dlerror()); return 1; }
    LOAD(fmu, fmi3InstantiateCoSimulation, const char *, const char *, const char *, bool, bool,
         bool, bool, const uint32_t *, size_t, void *, void *, void *);
    LOAD(fmu, fmi3InstantiateModelExchange, const char *, const char *, const char *, bool, bool,
         void *, void *);
    LOAD(void, fmi3FreeInstance, fmu);
    LOAD(int, fmi3EnterInitializationMode, fmu, bool, double, double, bool, double);
    LOAD(int, fmi3ExitInitializationMode, fmu);
    LOAD(int, fmi3DoStep, fmu, double, double, bool, bool *, bool *, bool *, double *);
    LOAD(int, fmi3GetFMUState, fmu, void **);
    LOAD(int, fmi3SetFMUState, fmu, void *);
    LOAD(int, fmi3FreeFMUState, fmu, void **);
    LOAD(int, fmi3SerializedFMUStateSize, fmu, void *, size_t *);
    LOAD(int, fmi3SerializeFMUState, fmu, void *, uint8_t *, size_t);
    LOAD(int, fmi3DeserializeFMUState, fmu, const uint8_t *, size_t, void **);
    LOAD(int, fmi3Reset, fmu);
    LOAD(int, fmi3SetFloat64, fmu, const uint32_t *, size_t, const double *, size_t);
    LOAD(int, fmi3UpdateDiscreteStates, fmu, bool *, bool *, bool *, bool *, bool *, double *);
    LOAD(int, fmi3EnterContinuousTimeMode, fmu);
    LOAD(int, fmi3GetNumberOfContinuousStates, fmu, size_t *);
    LOAD(int, fmi3GetNumberOfEventIndicators, fmu, size_t *);
    LOAD(int, fmi3GetContinuousStates, fmu, double *, size_t);
    LOAD(int, fmi3GetContinuousStateDerivatives, fmu, double *, size_t);
    LOAD(int, fmi3GetEventIndicators, fmu, double *, size_t);
    LOAD(int, fmi3CompletedIntegratorStep, fmu, bool, bool *, bool *);
    bool a, b, c, d, e;
    double t;
    const uint32_t variable = (uint32_t)atoi(words[3]);
    const double start = atof(words[4]);

    fmu stepped = fmi3InstantiateCoSimulation("one", words[2], NULL, 0, 0, 0, 0, NULL, 0, NULL,
                                              NULL, NULL);
    if (stepped == NULL) return 1;
    for (int turn = 0; turn < 2; turn++) {
        CHECK(fmi3SetFloat64(stepped, &variable, 1, &start, 1));
        CHECK(fmi3EnterInitializationMode(stepped, 0, 0, 0, 0, 0));
        CHECK(fmi3ExitInitializationMode(stepped));
        void *state = NULL, *again = NULL;
        size_t size = 0;
        for (int k = 0; k < 60; k++) {
            CHECK(fmi3DoStep(stepped, 1e-2 * k, 1e-2, 1, &a, &b, &c, &t));
            CHECK(fmi3GetFMUState(stepped, &state));
        }
        CHECK(fmi3SerializedFMUStateSize(stepped, state, &size));
        uint8_t *bytes = malloc(size);
        CHECK(fmi3SerializeFMUState(stepped, state, bytes, size));
        CHECK(fmi3DeserializeFMUState(stepped, bytes, size, &again));
        CHECK(fmi3DeserializeFMUState(stepped, bytes, size, &again));
        CHECK(fmi3SetFMUState(stepped, again));
        CHECK(fmi3FreeFMUState(stepped, &state));
        CHECK(fmi3FreeFMUState(stepped, &again));
        free(bytes);
        CHECK(fmi3Reset(stepped));
    }
    fmi3FreeInstance(stepped);

    fmu exchanged = fmi3InstantiateModelExchange("two", words[2], NULL, 0, 0, NULL, NULL);
    if (exchanged == NULL) return 1;
    CHECK(fmi3SetFloat64(exchanged, &variable, 1, &start, 1));
    CHECK(fmi3EnterInitializationMode(exchanged, 0, 0, 0, 0, 0));
    CHECK(fmi3ExitInitializationMode(exchanged));
    CHECK(fmi3UpdateDiscreteStates(exchanged, &a, &b, &c, &d, &e, &t));
    CHECK(fmi3EnterContinuousTimeMode(exchanged));
    size_t states, levels;
    CHECK(fmi3GetNumberOfContinuousStates(exchanged, &states));
    CHECK(fmi3GetNumberOfEventIndicators(exchanged, &levels));
    double *numbers = calloc(states + levels, sizeof *numbers);
    CHECK(fmi3GetContinuousStates(exchanged, numbers, states));
    CHECK(fmi3GetContinuousStateDerivatives(exchanged, numbers, states));
    CHECK(fmi3GetEventIndicators(exchanged, numbers, levels));
    CHECK(fmi3CompletedIntegratorStep(exchanged, 1, &a, &b));
    free(numbers);
    fmi3FreeInstance(exchanged);
    dlclose(library);
    return 0;
}
"""


def unpacked(name: str, platform: str, folder: Path, compiler: str) -> list[str]:
    """The program in C and its words, for a platform."""
    file = plant_named(name).export_fmu(folder / "a.fmu", platforms=[platform], portable=True)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    (folder / "driver.c").write_text(DRIVER)
    compiled = [compiler, "-std=gnu99", "-g", "-o", "driver", "driver.c", "-ldl"]
    subprocess.run(compiled, cwd=folder, check=True)
    (library,) = folder.glob("binaries/*/*.so")
    about = fmpy.read_model_description(str(file))
    output, start = STARTS[name]
    (number,) = (str(v.valueReference) for v in about.modelVariables if v.name == output)
    return ["./driver", str(library), about.instantiationToken, number, start]


@pytest.mark.long
@pytest.mark.parametrize("name", ["four_bar", "bouncing_ball"])
def test_instances_leak_nothing(
    name: str, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    valgrind = require_program("valgrind")
    # portable: instructions of the newest processors are not known to valgrind
    program = unpacked(name, "here", tmp_path, "cc")
    watched = [valgrind, "--quiet", "--leak-check=full", "--error-exitcode=9", *program]
    done = subprocess.run(watched, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_instances_run_on_another_processor(
    tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    emulator = require_program("qemu-aarch64")
    compiler = require_program("aarch64-linux-gnu-gcc")
    program = unpacked("four_bar", "aarch64-linux", tmp_path, compiler)
    emulated = [emulator, "-L", "/usr/aarch64-linux-gnu", *program]
    done = subprocess.run(emulated, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
