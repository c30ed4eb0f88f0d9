# The two commands that do all the set-up are `make run` and `make test`.
SHELL := /bin/bash
# The product is linked in a folder of its own: it is stripped into .build/release, and a product that differs from what was linked
# would be linked again by every build.
LINKED := .build/linked

# Relocations packed (glibc 2.36, Debian 12, or later) are a hundredth of the size: less to read at start, and less to hold.
# Linked as one whole, a request runs 7% fewer instructions: small functions of one module are inlined into the next.
SWIFT_BUILD := swift build -c release --product cloakroom --scratch-path $(LINKED) --static-swift-stdlib --experimental-lto-mode=full \
	-Xswiftc -use-ld=lld -Xlinker --gc-sections -Xlinker -z -Xlinker pack-relative-relocs

# Requests that wait for an upstream hold much of what others will want: each thread keeps more of it at hand.
TUNABLES := glibc.malloc.tcache_count=128

.PHONY: run build commit engine test lint reference agree pictures bench residue crash contract durability mutate fuzz flaky simulate setup clean

## Builds for release and starts the development gateway on 127.0.0.1:8080.
run: build
	@cat docs/first-session.txt
	@exec env GLIBC_TUNABLES=$(TUNABLES) .build/release/cloakroom serve --config config/cloakroom.yaml

## Leaves .build/release/cloakroom, stripped, and beside it cloakroom.debug, in which debuggers and profilers find its symbols.
build: engine commit
	$(SWIFT_BUILD)
	@# A link there may lead to what was removed.
	@[ -e .build/release ] || rm -f .build/release
	@mkdir -p .build/release
	@if [ $(LINKED)/release/cloakroom -nt .build/release/cloakroom.debug ]; then \
	    objcopy --only-keep-debug --compress-debug-sections $(LINKED)/release/cloakroom .build/release/cloakroom.debug && \
	    objcopy --strip-all --add-gnu-debuglink=.build/release/cloakroom.debug \
	        $(LINKED)/release/cloakroom .build/release/cloakroom; \
	fi

# What `cloakroom --version` says was built. The file is written only if it changes; commit.c is touched because the compiler does
# not know that it depends on a file that was not there before.
COMMIT ?= $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null)
COMMIT_LINE := \#define CLOAKROOM_COMMIT "$(COMMIT)"
commit:
	@printf '%s\n' '$(COMMIT_LINE)' | cmp -s - Sources/CBuild/commit.h || \
		{ printf '%s\n' '$(COMMIT_LINE)' > Sources/CBuild/commit.h; touch Sources/CBuild/commit.c; }

## Leaves .build/engine/engine.wasm, the rules for browsers; `swift build` makes it too, and embeds it.
engine: setup
	Sources/Elements/Engine/build .build/engine

TESTS_AT_ONCE ?= $(shell Tests/bundle.py)

## Runs all tests, the end-to-end ones against the real binary. What failed is said once more at the end.
test:
	@./setup test
	swift build --build-tests
	@set -o pipefail; SWIFT_BACKTRACE=threads=crashed,interactive=no swift test --skip-build \
		--experimental-maximum-parallelization-width $(TESTS_AT_ONCE) 2>&1 | tee .build/test.log || \
		{ echo "What failed:"; grep -a 'recorded an issue\|Fatal error\|crashed' .build/test.log | cut -c1-400 | head -40; exit 1; }

## Format, module table, citations, links, file sizes; that the pages made from the code are those of this code.
lint:
	swift format lint --strict --recursive Sources Tests Plugins Package.swift
	Tests/Lint/house.py
	Tests/Mutations/mutate.py --check
	@./setup test
	tsc --noEmit --allowJs --checkJs --strict --target es2022 --lib es2022,dom,dom.iterable --module es2022 --moduleResolution node \
		Sources/Elements/Scripts/*.mjs Sources/Elements/Page/*.js Sources/Elements/Page/*.mjs Sources/Elements/Frame/*.js Sources/Elements/Demo/*.js Sources/Elements/Docs/*.js \
		Sources/Elements/Types/*.ts Sources/Elements/Docs/*.ts
	swift build --product cloakroom
	Tests/Reference/reference.py --binary .build/debug/cloakroom --check

## Writes the pages of docs/reference that are made from the code. `make lint` and a test fail when they are stale.
reference:
	swift build --product cloakroom
	Tests/Reference/reference.py --binary .build/debug/cloakroom

## Holds a million random submissions against the engine in Node: no difference.
agree: build
	Tests/Agreement/agree.mjs --binary .build/release/cloakroom --engine .build/engine/engine.wasm --count 1000000

## Takes the pictures of the documentation in a real browser.
pictures: build
	@./setup test
	.build/python/bin/python3 Tests/Browser/pictures.py --binary .build/release/cloakroom

## Compares with nginx in one sitting, fills a vault with three million aliases, and tries one in PostgreSQL; see Benchmarks/README.md.
bench: build
	Benchmarks/run
	Benchmarks/fill
	Benchmarks/shared

## Plants values through every endpoint and searches the process, its files and its logs for what they left. As root.
residue: build
	Tests/Residue/residue.py --each --lengths 10,24
	Tests/Residue/residue.py --each --lengths 10,24 --tls

## Kills the gateway 100 times while 32 connections write, and looks for what it had acknowledged.
crash: build
	Tests/Crash/crash.py --rounds 100
	.build/python/bin/python3 Tests/Crash/migrate.py

## Calls every operation of the OpenAPI document for an hour, with what fits its schemas and what does not.
contract: build
	@./setup test
	Tests/Contract/contract

## Cuts the power of a vault 2000 times and looks for what it had acknowledged.
durability:
	swift build -c release --product durability-driver
	Tests/Durability/durability.py --rounds 2000
	Tests/Durability/durability.py --every --rounds 1500
	swift build -c release --product cloakroom
	Tests/Durability/gateway.py --rounds 200

## Puts small mistakes into a copy of the sources: the tests must notice each.
mutate:
	@./setup test
	Tests/Mutations/mutate.py

## Fuzzes what strangers send, two minutes a target, with coverage.
fuzz:
	Tests/Fuzz/fuzz.py

## Runs all tests 20 times beside a load on every core.
flaky:
	@./setup test
	swift build --build-tests
	Tests/Flaky/flaky.py

## Draws 500 sequences of requests and faults, and looks for what must hold.
simulate:
	swift build --build-tests
	SIMULATION_SEEDS=1-500 swift test --skip-build --filter SimulationTests

## Installs the system libraries that are missing.
setup:
	@./setup

clean:
	rm -rf .build
