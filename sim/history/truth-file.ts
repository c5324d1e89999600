import type { HistoryTruth } from './history-truth.ts'

/** How many clusters ran each version of HCO at the end of a day, UTC. */
export interface TruthDay {
  readonly day: string
  readonly versions: Readonly<Record<string, number>>
}

const DAY_MS = 86_400_000

export function adoptionByDay(truths: readonly HistoryTruth[], fromMs: number, untilMs: number): readonly TruthDay[] {
  const days: TruthDay[] = []
  for (let dayMs = Math.floor(fromMs / DAY_MS) * DAY_MS; dayMs + DAY_MS <= untilMs; dayMs += DAY_MS) {
    const endMs = dayMs + DAY_MS
    const counts = new Map<string, number>()
    for (const { versions } of truths) {
      const last = versions.findLast(
        ({ operator, fromMs: startMs = -Infinity }) => operator === 'kubevirt-hyperconverged' && startMs < endMs,
      )
      if (last !== undefined) counts.set(last.version, (counts.get(last.version) ?? 0) + 1)
    }
    const versions = Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    days.push({ day: new Date(dayMs).toISOString().slice(0, 10), versions })
  }
  return days
}

/** The truth as a file: times are RFC 3339, to the second, under keys that end in `At`. */
export function renderTruth(truths: readonly HistoryTruth[], about: Readonly<Record<string, string | number>>): string {
  const [first] = truths
  const untilMs = first?.untilMs ?? 0
  const fromMs = Math.min(...truths.map((truth) => truth.fromMs))
  const adoption = truths.length === 0 ? [] : adoptionByDay(truths, fromMs, untilMs)
  return `${JSON.stringify(readable({ ...about, clusters: truths, adoption }), null, 1)}\n`
}

function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key.endsWith('Ms') && key !== 'skewMs' && typeof item === 'number'
        ? [`${key.slice(0, -2)}At`, `${new Date(item).toISOString().slice(0, 19)}Z`]
        : [key, readable(item)],
    ),
  )
}
