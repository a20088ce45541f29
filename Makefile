# make demo | test | test-long | wheel | bench | docs | figures | pictures | lint | page | clean: everything happens in .venv, nothing outside the repository
# is touched, except that `make test` run by root installs the Debian packages the tests need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# the first import writes the bytecode, of what is imported only, even if the caller says not to
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
unexport PYTHONDONTWRITEBYTECODE
# without npm everything is built but the libraries of the studio's page
WITHOUT_NPM := $(if $(shell command -v npm 2>/dev/null),,INLOOP_WITHOUT_STUDIO=1)

# what checks the code of the studio's page, and this code as seen from there
PAGE := tests/studio/page
PAGE_CODE := ../../../src/inloop/studio/page

# what the tests call, as program:debian-package or file:debian-package
DEBIAN_PYTHON := /usr/lib/python3/dist-packages
TEST_PROGRAMS := octave-cli:octave nm:binutils clang:clang c++:g++ tcc:tcc ip:iproute2 \
  $(firstword $(wildcard /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-*.a) libclang_rt):libclang-rt-dev \
  rosmaster:python3-rosmaster $(DEBIAN_PYTHON)/rospy:python3-rospy \
  $(DEBIAN_PYTHON)/sensor_msgs:python3-sensor-msgs $(DEBIAN_PYTHON)/std_msgs:python3-std-msgs \
  /usr/include/fastdds/dds/topic/Topic.hpp:libfastrtps-dev jackd:jackd2 chromium:chromium wasm-ld:lld \
  arm-none-eabi-gcc:gcc-arm-none-eabi /usr/lib/arm-none-eabi/lib/nosys.specs:libnewlib-arm-none-eabi qemu-system-arm:qemu-system-arm \
  valgrind:valgrind qemu-aarch64:qemu-user aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu \
  /usr/aarch64-linux-gnu/include/stdio.h:libc6-dev-arm64-cross \
  riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu /usr/riscv64-linux-gnu/include/stdio.h:libc6-dev-riscv64-cross \
  qemu-system-riscv64:qemu-system-misc

DEMO_EXTRAS := plot,studio,terminal
# make demo HEADLESS=1: no browser, a piece is played instead
HEADLESS ?=
PYTEST_OPTIONS ?=
# two more than there are cores: some tests wait for browsers, clocks and other processes; with eight
# workers on two cores the same tests take a fifth more processor time than with four
TEST_WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 2)

.PHONY: demo test test-long wheel bench docs figures pictures lint style page format clean test-programs test-modules
.DEFAULT_GOAL := demo

demo: $(VENV)/.ready-demo
	@$(BIN)/inloop demo $(if $(filter-out 0,$(HEADLESS)),--play,--studio)

# types are checked on one core while the tests start on the others; told below what the tests say
# threads of one small matrix product only stand in the way of the other tests
test: export OPENBLAS_NUM_THREADS = 1
test: $(VENV)/.ready-test test-programs style test-modules
	@told=$$(mktemp); nice $(BIN)/mypy >"$$told" 2>&1 & types=$$!; \
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal $(PYTEST_OPTIONS); tests=$$?; \
	wait $$types; types=$$?; echo "mypy:"; cat "$$told"; rm -f "$$told"; \
	[ $$tests -eq 0 ] && [ $$types -eq 0 ]

# tests that `make test` leaves out: a few hours on one core
test-long: export OPENBLAS_NUM_THREADS = 1
test-long: $(VENV)/.ready-test test-programs test-modules
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -m long $(PYTEST_OPTIONS)

# with the libraries of the studio's page: whoever installs it needs no npm
wheel: | $(BIN)/python
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/inloop-*.whl

bench: $(VENV)/.ready-bench
	$(BIN)/python -m benchmarks

# exhibits that get a live page in the site; all of them take some minutes the first time: LIVE="piano four_bar" is quicker
LIVE ?= all

docs: $(VENV)/.ready-test
	$(BIN)/python docs/site/build.py build/site --live $(LIVE)
	@echo "the site is in build/site: open build/site/index.html"

figures: $(VENV)/.ready-demo
	$(BIN)/python -m inloop.gallery.exhibition.figures docs/figures

# of all exhibits in the studio, by Chromium: one of each, and sheets in light and dark, on a desk and on a phone; STYLE=full takes long without a graphics card
pictures: $(VENV)/.ready-test
	$(BIN)/python tests/studio/exhibit_pictures.py docs/pictures $(if $(STYLE),--style $(STYLE))

lint: style
	$(BIN)/mypy

style: $(VENV)/.ready-test page
	$(BIN)/ruff check
	$(BIN)/ruff format --check

# types and style of the studio's page; without npm it is left out, as the page itself is
ifeq ($(WITHOUT_NPM),)
page: $(PAGE)/node_modules/.ready
	cd $(PAGE) && node_modules/.bin/tsc && node_modules/.bin/biome check $(PAGE_CODE)
else
page:
	@echo "npm is not there: the code of the studio's page is not checked"
endif

format: $(VENV)/.ready-test $(if $(WITHOUT_NPM),,$(PAGE)/node_modules/.ready)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/python -m inloop.studio.messaging.page_types
	$(BIN)/python -m inloop.model.written_stubs
	$(if $(WITHOUT_NPM),,cd $(PAGE) && node_modules/.bin/biome check --write $(PAGE_CODE))

clean:
	rm -rf $(VENV) $(PAGE)/node_modules .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the virtual environment: made once, brought up to date when pyproject.toml changes ---------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "inloop needs Python 3.11 or newer; '$(PYTHON)' is missing or older."; \
	  echo "Name another one with: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python cannot make virtual environments here: the module venv or ensurepip is missing."; \
	  echo "On Debian and Ubuntu install it with: sudo apt-get install python3-venv"; exit 1; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

comma := ,
# $(call install,EXTRAS)
define install
@command -v npm >/dev/null 2>&1 || { \
  echo "The studio's page needs three.js and uPlot, which npm fetches, and npm is not there."; \
  echo "Everything else works. For the studio, install npm (Debian and Ubuntu: sudo apt-get"; \
  echo "install npm), then: make clean demo"; }
@$(WITHOUT_NPM) $(PIP) --editable '.[$(1)]'
endef

$(VENV)/.ready-demo: pyproject.toml | $(BIN)/python
	@echo "installing inloop and what it needs"
	$(call install,$(DEMO_EXTRAS))
	@touch $@

$(VENV)/.ready-bench: pyproject.toml | $(BIN)/python
	@echo "installing inloop and what the benchmarks compare with"
	$(call install,$(DEMO_EXTRAS)$(comma)bench)
	@touch $@ $(VENV)/.ready-demo

# what the tests need holds what demo and benchmarks need: one installation is enough
$(VENV)/.ready-test: pyproject.toml | $(BIN)/python
	@echo "installing inloop and what the tests need"
	$(call install,test)
	@touch $@ $(VENV)/.ready-demo $(VENV)/.ready-bench

# --- what checks the studio's page: versions are pinned in package-lock.json ---------------------

$(PAGE)/node_modules/.ready: $(PAGE)/package-lock.json
	@echo "fetching what checks the studio's page"
	@cd $(PAGE) && npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

# Python's bytecode of all tests and of what they import, made once and not by each worker of pytest;
# beside it the runtime, for which all workers would wait, by a test that needs little else
TRANSLATED := .cache/.translated
test-modules: $(VENV)/.ready-test
	@[ -e $(TRANSLATED) ] && [ -z "$$(find src tests -name '*.py' -newer $(TRANSLATED) -print -quit)" ] || { \
	  $(BIN)/python -m pytest --quiet tests/native/test_near_pairs.py >/dev/null 2>&1 & runtime=$$!; \
	  $(BIN)/python -m pytest --collect-only --quiet >/dev/null 2>&1; wait $$runtime; \
	  mkdir -p .cache && touch $(TRANSLATED); }

# --- programs from outside Python: installed by root, named to anyone else ----------------------

test-programs:
	@missing=""; \
	for pair in $(TEST_PROGRAMS); do \
	  [ -e "$${pair%%:*}" ] || command -v "$${pair%%:*}" >/dev/null 2>&1 \
	    || missing="$$missing $${pair##*:}"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "installing Debian packages for the tests:$$missing"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update -qq && apt-get install -qq -y --no-install-recommends $$missing; } \
	    >/dev/null 2>&1 && exit 0; \
	  echo "apt-get failed; tests that need one of these are skipped (with CI=true they fail):$$missing"; \
	else \
	  echo "tests that need one of these Debian packages are skipped:$$missing"; \
	fi
