/* Loads the library of an FMU, takes steps in co-simulation and prints variables.
 *
 *     fmi3_host LIBRARY TOKEN STEPS VARIABLE...
 */
#ifdef _WIN32
#include <windows.h>
#define dlopen(file, mode) ((void *)LoadLibraryA(file))
#define dlsym(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*logger)(void *environment, int status, const char *category, const char *message);
typedef void *(*maker)(const char *name, const char *token, const char *resources, bool visible,
                       bool on, bool event_mode, bool early_return, const uint32_t *intermediate,
                       size_t count, void *environment, logger log, void *update);
typedef int (*enterer)(void *fmu, bool tolerance_defined, double tolerance, double start,
                       bool stop_defined, double stop);
typedef int (*leaver)(void *fmu);
typedef int (*stepper)(void *fmu, double t, double size, bool stays, bool *event, bool *terminate,
                       bool *early, double *reached);
typedef int (*getter)(void *fmu, const uint32_t *variables, size_t count, double *values,
                      size_t value_count);
typedef void (*freer)(void *fmu);

static void say(void *environment, int status, const char *category, const char *message)
{
    (void)environment;
    fprintf(stderr, "%d %s: %s\n", status, category, message);
}

static void find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    if (*(void **)function == NULL) {
        exit(2);
    }
}

int main(int count, char **words)
{
    maker make;
    enterer enter;
    leaver leave;
    stepper step;
    getter get;
    freer release;
    bool event, terminate, early;
    double reached;
    void *library = count > 3 ? dlopen(words[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        return 1;
    }
    find(library, "fmi3InstantiateCoSimulation", &make);
    find(library, "fmi3EnterInitializationMode", &enter);
    find(library, "fmi3ExitInitializationMode", &leave);
    find(library, "fmi3DoStep", &step);
    find(library, "fmi3GetFloat64", &get);
    find(library, "fmi3FreeInstance", &release);
    void *fmu = make("plant", words[2], "", false, false, false, false, NULL, 0, NULL, say, NULL);
    if (fmu == NULL || enter(fmu, false, 0.0, 0.0, false, 0.0) || leave(fmu)) {
        return 3;
    }
    for (int k = 0; k < atoi(words[3]); k++) {
        if (step(fmu, k * 1e-3, 1e-3, true, &event, &terminate, &early, &reached)) {
            return 4;
        }
    }
    for (int k = 4; k < count; k++) {
        const uint32_t variable = (uint32_t)atoi(words[k]);
        double value;
        if (get(fmu, &variable, 1, &value, 1)) {
            return 5;
        }
        printf("%.17g\n", value);
    }
    release(fmu);
    return 0;
}
