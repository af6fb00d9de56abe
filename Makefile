# `make demo` runs the demo and `make test` the tests; both install what they need.

SWIFTFLAGS ?=
# The builds of this Makefile have every codec; packages that depend on Tintype choose their traits.
TRAITS ?= AllCodecs
# Traits become -D flags in the order of a set. Without deterministic hashing each new build plan compiles everything again.
BUILD = SWIFT_DETERMINISTIC_HASHING=1 swift build --traits $(TRAITS) $(SWIFTFLAGS)
TINTYPE = .build/release/tintype

.PHONY: gallery test-gtk bench bench-build fuzz soak kills coverage guard build demo test test-traits test-thread test-address lint conformance suites docs examples clean install

## build: the command-line tool, release, every codec
build:
	@scripts/setup build
	$(BUILD) -c release --product tintype

## demo: builds the tool and runs its demo
demo: build
	$(TINTYPE) demo

## test: the whole test suite
test:
	@scripts/setup test
	scripts/test --traits $(TRAITS) $(SWIFTFLAGS)

## test-traits: the tests with the default traits, and with every trait off
test-traits:
	@scripts/setup test
	scripts/test-traits $(SWIFTFLAGS)

## test-thread, test-address: the suite under a sanitizer (ONLY=TintypeImagingTests for some targets); the files of
## suppressions name a library and a reason for each
SANITIZERS = $(CURDIR)/scripts/sanitizers
test-thread:
	@scripts/setup test
	TSAN_OPTIONS="suppressions=$(SANITIZERS)/thread.supp halt_on_error=0 $$TSAN_OPTIONS" \
		ONLY="$(ONLY)" scripts/test --traits $(TRAITS) $(SWIFTFLAGS) --sanitize=thread --scratch-path .build/tsan

test-address:
	@scripts/setup test
	ASAN_OPTIONS="detect_leaks=1 $$ASAN_OPTIONS" LSAN_OPTIONS="suppressions=$(SANITIZERS)/leak.supp $$LSAN_OPTIONS" \
		ONLY="$(ONLY)" scripts/test --traits $(TRAITS) $(SWIFTFLAGS) --sanitize=address --scratch-path .build/asan \
		-Xswiftc -DTINTYPE_PLAIN_MEMORY

## soak: a stress test of MINUTES=15: a bad server, cancellation, wiped caches, a second process; it fails on any leak
SOAK_BUILD = SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests --traits $(TRAITS) $(SWIFTFLAGS)
soak:
	@scripts/setup test
	$(SOAK_BUILD)
	.build/debug/Soak run $(or $(MINUTES),15)

## kills: kills processes with a running pipeline KILLS=200 times and checks their caches
kills:
	@scripts/setup test
	$(SOAK_BUILD)
	TINTYPE_KILLS=$(or $(KILLS),200) swift test --skip-build --traits $(TRAITS) $(SWIFTFLAGS) --filter PipelineKillTests

## coverage: line coverage by llvm-cov; fails below the bars and lists uncovered lines
coverage:
	@scripts/setup test
	scripts/coverage --traits $(TRAITS) $(SWIFTFLAGS)

## guard: compares the instruction counts of hot paths with the recorded ones, within 5 %; UPDATE=1 records them
guard:
	scripts/guard $(if $(UPDATE),record,check) --traits $(TRAITS) $(SWIFTFLAGS)

## test-gtk: the binding for GTK in a real window on a virtual display, and screenshots of each page of the Gallery
GTK_BUILD = SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path GTK --traits $(TRAITS) $(SWIFTFLAGS)
GTK_PRODUCTS = GTK/.build/debug
test-gtk:
	@scripts/setup gtk
	$(GTK_BUILD) --build-tests
	scripts/headless $(GTK_PRODUCTS)/tintype-gtkPackageTests.xctest
	XDG_CACHE_HOME=$(CURDIR)/GTK/.build/cache scripts/headless $(GTK_PRODUCTS)/gallery --screenshots GTK/.build/screenshots

## gallery: the demo for GTK; without a display it writes screenshots of its pages
gallery:
	@scripts/setup gtk
	$(GTK_BUILD) -c release --product gallery
	@if [ -n "$$WAYLAND_DISPLAY$$DISPLAY" ]; then GTK/.build/release/gallery; else \
		echo "gallery: there is no display; these are screenshots of its pages:"; \
		XDG_CACHE_HOME=$(CURDIR)/GTK/.build/cache \
			scripts/headless GTK/.build/release/gallery --screenshots GTK/.build/screenshots; fi

## fuzz: SECONDS=600 for each parser (SUBJECTS="jpeg png" for some), under AddressSanitizer and UndefinedBehaviorSanitizer
fuzz:
	scripts/fuzz $(or $(SECONDS),600) $(SUBJECTS)

## bench: compares with other libraries and writes Documentation/benchmarks.md; ONLY="memory disk" for some subjects,
## QUICK=1 for a quick check that everything works
bench:
	QUICK=$(QUICK) Benchmarks/run $(ONLY)

## bench-build: only compiles the benchmarks
bench-build:
	@scripts/setup build test bench
	SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path Benchmarks -c release --product tintype-bench

## lint: the formatting rules, then the vocabulary, the line width and the summaries of doc comments
lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Tests Examples/Package.swift Examples/Sources \
		GTK/Package.swift GTK/Sources GTK/Tests
	scripts/prose
	scripts/public-api --check

## conformance: the shared image sets, if they are beside the checkout
conformance: build
	@scripts/conformance $(TINTYPE)

## suites: the public suites of HTTP caching and of URLs, if they are beside the checkout
suites: build
	@scripts/suites $(TINTYPE)

## docs: the DocC pages into .build/docs/tintype.doccarchive; any warning is a failure
docs:
	@scripts/setup build
	scripts/docs --traits $(TRAITS) $(SWIFTFLAGS)

## examples: builds the programs of Examples/ and runs each of them
examples:
	@scripts/setup test
	scripts/examples --traits $(TRAITS) $(SWIFTFLAGS)

## install: the tool, its manual page and the shell completions, below PREFIX (/usr/local)
PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share
install: build
	install -D -m 755 $(TINTYPE) $(DESTDIR)$(PREFIX)/bin/tintype
	install -d $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
		$(SHARE)/fish/vendor_completions.d
	$(TINTYPE) manual > $(SHARE)/man/man1/tintype.1
	$(TINTYPE) completion bash > $(SHARE)/bash-completion/completions/tintype
	$(TINTYPE) completion zsh > $(SHARE)/zsh/site-functions/_tintype
	$(TINTYPE) completion fish > $(SHARE)/fish/vendor_completions.d/tintype.fish

clean:
	swift package clean
