# The commands of the project; `make help` lists them. The building is CMake's (see CMakePresets.json).
# PRESET chooses the build: `make test PRESET=asan`.

PRESET ?= release
PREFIX ?= /usr/local
build := build/$(PRESET)

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)

# The variables of this make (and its -j) are not meant for a build underneath it.
unexport MAKEFLAGS MFLAGS MAKELEVEL

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test campaign harden harden-python docs counts bench bench-python format check-format check-spelling tidy package package-test arm64 install clean

help:  ## Show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24

# A new tree is made without the tests, so that it needs no test packages; one that has them keeps them.
configure = tools/configure $(PRESET) $(if $(wildcard $(build)/build.ninja $(build)/Makefile),,-DULNA_BUILD_TESTS=OFF)

run:  ## Set up, build, run the experiment of the Intelledex 605: torques, simulation, report
	@tools/install-packages run
	@$(configure)
	@cmake --build $(build) --target ulna_cli
	@mkdir -p out/intelledex605
	@$(build)/apps/ulna/ulna inverse examples/intelledex605.yaml -o out/intelledex605/torques
	@$(build)/apps/ulna/ulna simulate examples/intelledex605.yaml -o out/intelledex605/run
	@$(build)/apps/ulna/ulna report out/intelledex605/run -o out/intelledex605/report.html

test:  ## Set up, build everything, run every test
	@tools/install-packages run test
	@tools/configure $(PRESET) -DULNA_BUILD_TESTS=ON -DULNA_BUILD_PYTHON=ON
	@cmake --build $(build)
	@ctest --preset $(PRESET)

campaign:  ## Compare two formulations on COUNT (10000) random mechanisms, and runs of a tenth of them
	@tools/install-packages run test
	@tools/configure $(PRESET) -DULNA_BUILD_TESTS=ON
	@cmake --build $(build) --target dynamics_tests simulation_tests
	@ULNA_MECHANISMS=$(or $(COUNT),10000) $(build)/tests/dynamics_tests --gtest_filter='RandomMechanisms.*'
	@ULNA_MECHANISMS=$(or $(COUNT),10000) $(build)/tests/simulation_tests --gtest_filter='RandomMechanismRuns.*'

harden:  ## Run the long checks for MINUTES (60): sanitizers, fuzzing, faults, random mechanisms
	@tools/harden $(or $(MINUTES),60)

harden-python:  ## Run the Python tests and MINUTES (10) of fuzzing under the address sanitizer
	@PRESET=$(if $(filter asan%,$(PRESET)),$(PRESET),asan) tools/harden-python $(or $(MINUTES),10)

counts:  ## Count the operations of generated inverse dynamics, pass by pass
	@tools/install-packages run
	@$(configure)
	@cmake --build $(build) --target operation_counts
	@$(build)/examples/operation_counts $(ROBOTS)

bench:  ## Time Ulna against KDL, MuJoCo, Pinocchio and Drake
	@tools/install-packages run bench
	@sh bench/fetch_pinocchio.sh
	@$(configure) -DULNA_BUILD_BENCH=ON -DULNA_BUILD_PYTHON=ON
	@cmake $(build) >/dev/null  # what was fetched is looked for each time
	@cmake --build $(build) --target ulna-bench ulna-bench-ik ulna_python
	@mkdir -p out/bench
	@$(build)/bench/ulna-bench --json out/bench/bench.json
	@$(build)/bench/ulna-bench-ik bench/python/arm7.urdf panda iiwa14 puma560 ur5e | tee out/bench/ik.txt
	@sh bench/peers/fetch_simulators.sh build/peers/simulators
	@PYTHONPATH=$(build)/python $$(ls build/peers/simulators/bin/python 2>/dev/null || echo /usr/bin/python3) \
	  bench/peers/simulations.py --json out/bench/simulations.json

bench-python:  ## Time the Python package against C++ and Pinocchio's Python calls
	@tools/install-packages run bench
	@$(configure) -DULNA_BUILD_BENCH=ON -DULNA_BUILD_PYTHON=ON
	@cmake --build $(build) --target ulna_python ulna-python-reference
	@bench/python/fetch_pinocchio.sh build/peers/pinocchio-python
	@mkdir -p out/bench
	@PYTHONPATH=$(build)/python /usr/bin/python3 bench/python/bench.py $(build)/bench/python/ulna-python-reference \
	  --json out/bench/python.json $$(ls build/peers/pinocchio-python/bin/python 2>/dev/null | sed "s/^/--pinocchio /")

format:  ## Format the C++ files and the lines of Markdown
	@tools/install-packages format
	@tools/format
	@tools/wrap-markdown

check-format:  ## Say which C++ files are not formatted
	@tools/install-packages format
	@tools/format --check

check-spelling:  ## Look for misspelt words and for wording against the rules in documents and sources
	@tools/install-packages docs
	@codespell -q 3 docs README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md src apps python examples tools web/src cmake
	@tools/check-style
	@tools/wrap-markdown --check
	@tools/measured-tables --check

tidy:  ## Run clang-tidy over the library and the command line
	@tools/install-packages run tidy
	@$(configure)
	@cmake --build $(build) --target ulna_cli
	@run-clang-tidy -quiet -p $(build) '/(src|apps)/'

docs:  ## Build the documentation site into build/site and run what its pages show
	@tools/install-packages run test docs
	@tools/configure $(PRESET) -DULNA_BUILD_PYTHON=ON -DULNA_BUILD_TESTS=ON  # with KaTeX among npm's packages
	@cmake --build $(build) --target ulna_cli ulna_python
	@/usr/bin/python3 tools/check-docs $(build)/apps/ulna/ulna $(build)/python
	@/usr/bin/python3 tools/make-docs $(build)/apps/ulna/ulna $(build)/python $(build)/web
	@echo "wrote build/site/index.html"

package:  ## Build wheels, Debian packages and the static program into out/packages
	@tools/make-packages

package-test:  ## Install what `make package` built on a bare Debian 12 and run it there (as root)
	@tools/test-packages

arm64:  ## Build for arm64 and run the tests of the kernels under qemu
	@tools/test-arm64

install:  ## Install the library, its headers and the command line below PREFIX
	@tools/install-packages run
	@$(configure)
	@cmake --build $(build) --target ulna ulna_cli
	@cmake --install $(build) --prefix $(PREFIX)

clean:  ## Remove what was built and computed
	rm -rf build out
