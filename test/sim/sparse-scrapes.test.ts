import { expect, test } from 'vitest'
import { createPlan } from '../../sim/scenario.ts'
import { ROLES, type Role } from '../../sim/cluster-plan.ts'
import { silenceAt } from '../../sim/scenarios/silence.ts'
import { createPrometheus, type SampleRun, type SimPrometheus } from '../../sim/sim-prometheus.ts'
import { sparseScrapes } from '../../sim/sparse-scrapes.ts'

const PRESENT_MS = Date.UTC(2026, 10, 21, 12)
const START_MS = PRESENT_MS - 2 * 3_600_000
const SCRAPE_MS = 30_000
const MINUTE_MS = 60_000

function prometheusOf(role: Role, index = 3): SimPrometheus {
  const plan = createPlan({
    seed: 'sparse',
    index,
    role,
    startMs: START_MS,
    presentMs: PRESENT_MS,
    scrapeMs: SCRAPE_MS,
  })
  return createPrometheus(plan, 0, SCRAPE_MS)
}

/** Samples by series and time; a stale marker is NaN. */
function samplesOf(runs: readonly SampleRun[]): Map<string, number> {
  return new Map(
    runs.flatMap(({ labels, samples }) =>
      samples.map(
        ({ timeMs, value, isStale }) => [`${labels.toString()} ${timeMs}`, isStale === true ? NaN : value] as const,
      ),
    ),
  )
}

test.each(ROLES)('%s: what is sent of a sparse past is what was scraped then, and few samples of it', (role) => {
  const prometheus = prometheusOf(role)
  const scrapes = sparseScrapes(prometheus, START_MS, PRESENT_MS)
  const sparse = samplesOf(prometheus.collect(scrapes))
  const whole = samplesOf(prometheusOf(role).collect(prometheus.scrapesBetween(START_MS, PRESENT_MS)))
  const values = [...sparse].filter(([, value]) => !Number.isNaN(value))
  expect(values.filter(([key, value]) => whole.get(key) !== value)).toEqual([])
  expect(sparse.size).toBeLessThan(whole.size * 0.9)
})

test('no two scrapes are so far apart that a series seems to have ended, and the last one is there', () => {
  for (const [role, apartMs] of [
    ['healthy', 4 * MINUTE_MS],
    ['rest_errors', 2 * MINUTE_MS],
  ] as const) {
    const prometheus = prometheusOf(role)
    const scrapes = sparseScrapes(prometheus, START_MS, PRESENT_MS)
    expect(Math.max(...scrapes.slice(1).map((timeMs, i) => timeMs - scrapes[i]!))).toBe(apartMs)
    expect(scrapes[0]).toBeLessThan(START_MS + apartMs)
    expect(scrapes.at(-1)).toBe(prometheus.scrapesBetween(START_MS, PRESENT_MS).at(-1))
  }
})

test('while a cluster upgrades no scrape is left out', () => {
  const prometheus = prometheusOf('upgrading')
  const [upgrade] = prometheus.plan.upgrades
  const untilMs = Math.min(PRESENT_MS, upgrade!.endMs)
  const within = (times: readonly number[]): readonly number[] => times.filter((timeMs) => timeMs >= upgrade!.startMs)
  const sparse = within(sparseScrapes(prometheus, START_MS, untilMs))
  expect(sparse).toEqual(within(prometheus.scrapesBetween(START_MS, untilMs)))
  expect(sparse.length).toBeGreaterThan(5)
})

test('a cluster that says farewell does so at the first scrape that is sent of its silence', () => {
  const prometheus = prometheusOf('silent_with_markers')
  const scrapes = sparseScrapes(prometheus, START_MS, PRESENT_MS)
  const silent = scrapes.filter((timeMs) => silenceAt(prometheus.plan, timeMs) !== undefined)
  const sent = prometheus.collect(scrapes).map(({ samples }) => samples.at(-1)!)
  expect(silent.length).toBeGreaterThan(5)
  expect(sent.filter(({ isStale }) => isStale === true).length).toBeGreaterThan(40)
  expect(Math.max(...sent.map(({ timeMs }) => timeMs))).toBe(silent[0])
})
