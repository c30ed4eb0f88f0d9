# The two commands that do all the set-up are `make run` and `make test`.
SHELL := /bin/bash
# Relocations packed (glibc 2.36, Debian 12, or later) are a hundredth of the size: less to read at start, and less to hold.
# Linked as one whole, a request runs 7% fewer instructions: small functions of one module are inlined into the next.
SWIFT_BUILD := swift build -c release --product cloakroom --static-swift-stdlib --experimental-lto-mode=full \
	-Xswiftc -use-ld=lld -Xlinker --gc-sections -Xlinker -z -Xlinker pack-relative-relocs

# Requests that wait for an upstream hold much of what others will want: each thread keeps more of it at hand.
TUNABLES := glibc.malloc.tcache_count=128

.PHONY: run build test lint bench residue crash durability setup clean

## Builds for release and starts the development gateway on 127.0.0.1:8080.
run: build
	@cat docs/first-session.txt
	@exec env GLIBC_TUNABLES=$(TUNABLES) .build/release/cloakroom serve --config config/cloakroom.yaml

## Leaves .build/release/cloakroom.
build: setup
	$(SWIFT_BUILD)

## Runs all tests, the end-to-end ones against the real binary.
test:
	@./setup test
	swift build --build-tests
	swift test --skip-build

lint:
	swift format lint --strict --recursive Sources Tests Package.swift

## Compares with nginx in one sitting; see Benchmarks/README.md.
bench: build
	Benchmarks/run

## Plants values through every endpoint and searches the process, its files and its logs for what they left. As root.
residue: build
	Tests/Residue/residue.py --each --lengths 10,24
	Tests/Residue/residue.py --each --lengths 10,24 --tls

## Kills the gateway 100 times while 32 connections write, and looks for what it had acknowledged.
crash: build
	Tests/Crash/crash.py --rounds 100

## Cuts the power of a vault 2000 times and looks for what it had acknowledged.
durability:
	swift build -c release --product durability-driver
	Tests/Durability/durability.py --rounds 2000

## Installs the system libraries that are missing.
setup:
	@./setup

clean:
	rm -rf .build
