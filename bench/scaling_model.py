#!/usr/bin/env python3
"""The model of docs/scaling.md: what a sum over shared rows takes, and an iteration of shared chains, on machines that are not here.

usage: scaling_model.py

Prints the tables of that page that are computed; a test holds the page to them. The constants below are measured by
./dev bench --ranks, but for those of networks.
"""

from dataclasses import dataclass

ROW = 3.8e-11  # seconds of a core for one row, column and chain of a gradient
TRANSITION = 2e-6  # seconds of a core for a transition beside its gradients
ADDITION = 1.4e-10  # seconds to add one number to a sum over subtrees
COORDINATE, PRODUCT = 1.3e-8, 2.3e-10  # seconds to pool a coordinate of a position, and each of the K²/2 products of a dense metric
READING = 1.6e8  # bytes of a table that a core reads in a second


@dataclass
class Network:
    name: str
    latency: float  # seconds
    message: float  # seconds that a processor spends on each message
    bandwidth: float  # bytes per second

    def calls(self, number, processes):
        """Seconds for so many calls in which each gives something to each: messages of one process go out one after the other."""
        return number * (self.latency + (processes - 1) * self.message)


NETWORKS = [
    Network("10 Gb/s Ethernet", 30e-6, 4e-6, 1.1e9),
    Network("100 Gb/s", 5e-6, 0.5e-6, 11e9),
    Network("HDR 200 Gb/s", 1.5e-6, 0.2e-6, 23e9),
]


def subtrees(pieces, processes):
    """Of pieces dealt to processes, those that one has as a whole, as src/cluster/tree_sum.cpp finds them: how many all have."""

    def count(first, end, low, high):
        if end <= low or high <= first:
            return 0
        if low <= first and end <= high:
            return 1
        middle = first + (1 << (end - first - 1).bit_length() >> 1)
        return count(first, middle, low, high) + count(middle, end, low, high)

    whole, more = divmod(pieces, processes)
    bounds = [whole * r + min(r, more) for r in range(processes + 1)]
    return sum(count(0, pieces, bounds[r], bounds[r + 1]) for r in range(processes))


@dataclass
class SharedRows:
    rows: float
    coefficients: int
    chains: int
    processes: int
    threads: int = 1
    pieces: int = 0  # equal shares where it is 0
    bytes_of_number: int = 7  # in the file

    def rows_of_one(self):
        """Seconds of a sum that go into rows, for the process that has the most of them."""
        share = 1 / self.processes if self.pieces == 0 else -(-self.pieces // self.processes) / self.pieces
        return ROW * self.rows * self.coefficients * self.chains * share / self.threads

    def reading(self):
        """Seconds that a process needs to make numbers of its part of the table, where storage is as fast."""
        return self.bytes_of_number * self.rows * self.coefficients / (self.processes * self.threads * READING)

    def exchanges(self, network):
        """Seconds of a sum that go into telling positions, telling sums, and adding these up."""
        all_subtrees = subtrees(self.pieces or self.processes, self.processes)
        numbers = self.chains * self.coefficients
        told = 8 * numbers * (self.processes - 1) * (1 + all_subtrees / self.processes)
        return network.calls(4, self.processes) + told / network.bandwidth + ADDITION * numbers * all_subtrees


@dataclass
class SharedChains:
    chains: int
    coefficients: int
    rows: int
    gradients: float  # for a transition
    processes: int
    threads: int = 1

    def iteration(self):
        work = self.gradients * ROW * self.rows * self.coefficients + TRANSITION
        return self.chains * work / (self.processes * self.threads)

    def bytes_of_warmup(self):
        """Of five iterations: a position of each chain and ten numbers beside it."""
        return 40 * self.chains * (self.coefficients + 10)

    def exchanges_of_warmup(self, network):
        others = (self.processes - 1) / self.processes
        return network.calls(3, self.processes) + self.bytes_of_warmup() * others / network.bandwidth

    def pooling_of_warmup(self):
        """Of five iterations: each process does that for the positions of all."""
        k = self.coefficients
        return 5 * self.chains * (COORDINATE * k + PRODUCT * k**2 / 2)


def seconds(value):
    unit, factor = ("s", 1) if value >= 0.9995 else ("ms", 1e3)
    digits = max(0, 1 - int(f"{value * factor:.1e}".split("e")[1]))
    return f"{value * factor:.{digits}f} {unit}"


def percent(part, whole):
    return f"{100 * part / whole:.{0 if part > 0.0095 * whole else 1}f} %"


def table(head, rows):
    for cells in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(cells) + " |" if cells is not None and cells[0] != "---" else "|" + "---|" * len(head))
    print()


def on_networks(what, of_network):
    return [what, *(of_network(network) for network in NETWORKS)]


LARGE = SharedRows(1e9, 101, 16, processes=64, threads=32, pieces=4096)
SMALL = SharedRows(100000, 101, 16, processes=64, pieces=80)
ON_8 = SharedRows(100000, 101, 16, processes=8, pieces=80)
MANY = [SharedChains(100000, columns, 1000, 2.3, processes=64, threads=32) for columns in (21, 101)]
SUMS = 5  # for an iteration of shared rows


def computed():
    rows = []
    for case, what in (LARGE, "10⁹ rows × 101, 16 chains, 64 nodes of 32 cores"), (SMALL, "100000 × 101, 16 chains, 64 nodes of one core"):
        rows += [
            on_networks(f"{what}: rows, for one sum", lambda _: seconds(case.rows_of_one())),
            on_networks("… exchanges, for one sum", lambda n: seconds(case.exchanges(n))),
            on_networks(
                f"… a draw of one chain, of {SUMS} sums for 16",
                lambda n: seconds(SUMS * (case.rows_of_one() + case.exchanges(n)) / case.chains),
            ),
        ]
    rows[3:3] = [on_networks("… to read the table, once, where storage gives 5 GB/s to each node", lambda _: seconds(LARGE.reading()))]
    rows += [
        on_networks("the same on 8 nodes of one core: rows, for one sum", lambda _: seconds(ON_8.rows_of_one())),
        on_networks("… exchanges, for one sum", lambda n: seconds(ON_8.exchanges(n))),
    ]
    for case in MANY:
        rows += [
            on_networks(
                f"10⁵ chains on 64 nodes of 32 cores, 1000 × {case.coefficients}: transitions, for five iterations",
                lambda _: seconds(5 * case.iteration()),
            ),
            on_networks("… positions told in warm-up, for five iterations", lambda n: seconds(case.exchanges_of_warmup(n))),
            on_networks("… positions pooled in warm-up, by each process, for five iterations", lambda _: seconds(case.pooling_of_warmup())),
        ]
    table(["computed", *(n.name for n in NETWORKS)], rows)


def overlap():
    def won(part, other):
        return percent(min(part, other), part + other)

    rows = [
        on_networks("10⁹ rows × 101 on 64 nodes of 32 cores", lambda n: won(LARGE.exchanges(n), LARGE.rows_of_one())),
        on_networks("100000 × 101 on 64 nodes of one core", lambda n: won(SMALL.exchanges(n), SMALL.rows_of_one())),
        on_networks("100000 × 101 on 8 nodes of one core", lambda n: won(ON_8.exchanges(n), ON_8.rows_of_one())),
    ]
    for case in MANY:
        work = 5 * case.iteration() + case.pooling_of_warmup()
        rows.append(
            on_networks(
                f"warm-up of 10⁵ chains, 1000 × {case.coefficients}",
                lambda n: percent(min(case.exchanges_of_warmup(n), work), work + case.exchanges_of_warmup(n)),
            )
        )
    table(["the most that overlap could win, of the time", *(n.name for n in NETWORKS)], rows)


def main():
    computed()
    overlap()


if __name__ == "__main__":
    main()
