import type {
  EdgeComparisonItem,
  EdgeItem,
  EdgeItems,
  RunItem,
  RunItems,
  SizeClassItem,
} from '../../../src/contract/fleet-edges.ts'
import { fleetCoverage } from './coverage-fixtures.ts'

/** Edges of a made-up fleet: one clearly worse than the others, and one with too few runs to say. */

function took(p50Seconds: number, runs: number) {
  return {
    runs,
    censored: 1,
    p50Seconds,
    p90Seconds: p50Seconds * 1.5,
    p95Seconds: p50Seconds * 1.8,
    p50LowSeconds: p50Seconds * 0.9,
    p50HighSeconds: p50Seconds * 1.2,
  }
}

function edge(from: string, to: string, succeeded: number, failed: number, low: number, nowMs: number): EdgeItem {
  const of = succeeded + failed
  return {
    operator: 'kubevirt-hyperconverged',
    from,
    to,
    attempts: of + 1,
    outcomes: { succeeded, failed, superseded: 0, rolledBack: 0, inProgress: 1, unknown: 0 },
    success: of === 0 ? null : { share: succeeded / of, low, high: Math.min(1, succeeded / of + 0.05), of },
    duration: took(700, of + 1),
    phases: [
      { phase: 'olm', ...took(200, of) },
      { phase: 'operands', ...took(310, of) },
      { phase: 'virt_handler.waves', ...took(120, of) },
    ],
    firstAt: new Date(nowMs - 40 * 86_400_000).toISOString(),
    lastAt: new Date(nowMs - 3_600_000).toISOString(),
  }
}

function edges(nowMs: number): readonly EdgeItem[] {
  return [
    edge('1.17.3', '1.18.1', 280, 20, 0.9, nowMs),
    edge('1.16.0', '1.17.3', 120, 30, 0.73, nowMs),
    edge('1.15.2', '1.16.0', 60, 0, 0.94, nowMs),
    edge('1.14.0', '1.15.2', 1, 0, 0.21, nowMs),
    edge('1.13.0', '1.14.0', 0, 0, 0, nowMs),
  ]
}

function sinceOf(search: URLSearchParams, nowMs: number): string | null {
  return search.get('window') === null ? null : new Date(nowMs - 7 * 86_400_000).toISOString()
}

export function edgeItems(search: URLSearchParams, nowMs: number): EdgeItems {
  const found = edges(nowMs).filter(
    ({ from, to }) => (search.get('from') ?? from) === from && (search.get('to') ?? to) === to,
  )
  return {
    asOf: new Date(nowMs).toISOString(),
    coverage: fleetCoverage(nowMs),
    since: sinceOf(search, nowMs),
    // Of this week there is less.
    edges: search.has('window') ? found.slice(0, 2) : found,
    nextCursor: null,
  }
}

export function edgeComparison(search: URLSearchParams, nowMs: number): EdgeComparisonItem {
  const named = (name: string): EdgeItem => {
    const [from, to] = (search.get(name) ?? '').split('..')
    return edges(nowMs).find((one) => one.from === from && one.to === to)!
  }
  const [first, second] = [named('first'), named('second')]
  const isFew = (second.success?.of ?? 0) < 10
  const verdict = isFew ? 'insufficient_data' : 'better'
  return {
    asOf: new Date(nowMs).toISOString(),
    since: sinceOf(search, nowMs),
    first,
    second,
    success: {
      verdict,
      moreNeeded: isFew ? 38 : 0,
      difference: isFew ? null : { difference: 0.133, low: 0.06, high: 0.21 },
    },
    duration: { verdict: 'no_difference', moreNeeded: 0, pValue: 0.41, chiSquare: 0.68 },
    phases: [
      { phase: 'olm', verdict: 'no_difference', moreNeeded: 0, pValue: 0.7, chiSquare: 0.1 },
      { phase: 'operands', verdict: 'slower', moreNeeded: 0, pValue: 0.002, chiSquare: 9.4 },
    ],
  }
}

/** Larger clusters take longer, by their root; every ninth does not finish, every tenth has no known size. */
export function runItems(search: URLSearchParams, nowMs: number): RunItems {
  const [from, to] = [search.get('from') ?? '1.17.3', search.get('to') ?? '1.18.1']
  const scale = search.get('phase') === null ? 1 : 0.2
  const runs = Array.from({ length: 300 }, (_, i): RunItem => {
    const nodes = 1 + ((i * 37) % 250)
    return {
      ...{ id: `u-${i}`, cluster: `prod-${String(i).padStart(4, '0')}`, operator: 'kubevirt-hyperconverged', from, to },
      nodes: i % 10 === 0 ? null : nodes,
      startedAt: new Date(nowMs - i * 3_600_000).toISOString(),
      seconds: scale * (300 + 90 * Math.sqrt(nodes) * (1 + ((i * 13) % 7) / 7)),
      finished: i % 9 !== 0,
    }
  })
  const sizes = (fromNodes: number | null, toNodes: number | null, p50Seconds: number): SizeClassItem => {
    return { fromNodes, toNodes, ...took(scale * p50Seconds, 60) }
  }
  return {
    ...{ asOf: new Date(nowMs).toISOString(), coverage: fleetCoverage(nowMs), since: sinceOf(search, nowMs) },
    ...{
      total: 412,
      classes: [sizes(4, 10, 560), sizes(31, 100, 1260), sizes(101, 300, 2010), sizes(null, null, 900)],
    },
    runs,
  }
}
