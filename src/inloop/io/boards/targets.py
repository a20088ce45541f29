"""Supported boards: compiler, flags, emulator."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.errors import InputError, name_hint

# no contraction of a*b + c (FMA), so that boards and computers agree bit for bit
COMMON_FLAGS = (
    "-std=c99",
    "-O2",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-ffunction-sections",
    "-fdata-sections",
)
CALL_GRAPH = "-fcallgraph-info=su"


@dataclass(frozen=True)
class Target:
    """A kind of board to export to.

    Attributes:
        name: as spelled in `--target`.
        about: short description.
        cross: prefix of the cross compiler's programs.
        package: Debian packages that provide them.
        machine: flags that select the processor.
        timers: timer examples that step a plant: exported name → file in the package.
        emulator: command that runs a program, without the program file.
        emulator_package: Debian package of the emulator.
        board: startup files of the measuring program.
        bare: bare metal, no operating system: programs start at reset.
    """

    name: str
    about: str
    cross: str
    package: str
    machine: tuple[str, ...]
    timers: dict[str, str]
    emulator: tuple[str, ...]
    emulator_package: str
    board: tuple[str, ...]
    bare: bool

    @property
    def compiler(self) -> str:
        """Name of the compiler."""
        return f"{self.cross}gcc" if self.cross else "cc"

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of each compilation."""
        return (*COMMON_FLAGS, *self.machine)


_SEMIHOSTING = (
    *("-serial", "none", "-chardev", "stdio,id=told"),
    *("-semihosting-config", "enable=on,target=native,chardev=told"),
)


def _cortex_m(name: str, about: str, cpu: str, fpu: str, machine: str) -> Target:
    # 1024 ns per instruction; the program prints through semihosting
    emulator = f"qemu-system-arm -M {machine} -icount shift=10 -display none -monitor none"
    return Target(
        name,
        about,
        "arm-none-eabi-",
        "gcc-arm-none-eabi libnewlib-arm-none-eabi",
        (f"-mcpu={cpu}", "-mthumb", f"-mfpu={fpu}", "-mfloat-abi=hard"),
        {"timer.c": "timer_cortex_m.c"},
        (*emulator.split(), *_SEMIHOSTING, "-kernel"),
        "qemu-system-arm",
        ("mps2.c", "mps2.ld"),
        bare=True,
    )


_THREAD = {"timer_linux.c": "timer_linux.c"}
HOST = Target("host", "this computer", "", "gcc", (), _THREAD, (), "", ("linux.c",), bare=False)

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        _cortex_m(
            "cortex-m7",
            "Cortex-M7 with double-precision unit (emulated: MPS2 AN500)",
            "cortex-m7",
            "fpv5-d16",
            "mps2-an500",
        ),
        _cortex_m(
            "cortex-m4f",
            "Cortex-M4 with single-precision unit (emulated: MPS2 AN386)",
            "cortex-m4",
            "fpv4-sp-d16",
            "mps2-an386",
        ),
        Target(
            "aarch64-linux",
            "64-bit Arm with Linux",
            "aarch64-linux-gnu-",
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            ("-march=armv8-a",),
            _THREAD,
            ("qemu-aarch64",),
            "qemu-user",
            ("linux.c",),
            bare=False,
        ),
        Target(
            "riscv",
            "64-bit RISC-V (RV64GC)",
            "riscv64-linux-gnu-",
            "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
            # PC-relative addresses: the memory of many bare boards starts at 2 GB
            ("-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany"),
            {"timer.c": "timer_riscv.c", **_THREAD},
            ("qemu-riscv64",),
            "qemu-user",
            ("linux.c",),
            bare=False,
        ),
    )
}


def target_named(name: str) -> Target:
    """The target of this name.

    Raises:
        InputError: unknown name.
    """
    if name not in TARGETS:
        raise InputError(f"target {name!r} is unknown", fix=name_hint(name, TARGETS))
    return TARGETS[name]
