/**
 * All silences, in memory, and which of them hide an alert. A silence that names a label's value is found by it, so an
 * alert is tested against the few that name one of its own values: 2,000 alerts against 200 silences take milliseconds.
 */
import type { Labels } from '../model/labels.ts'
import { compileMatcher, type Matcher } from '../model/matcher.ts'
import { silenceStateAt, type Silence } from '../model/silence.ts'
import type { SilenceReader } from './ports.ts'

export interface SilenceBook extends SilenceReader {
  get(id: string): Silence | undefined
  all(): Iterable<Silence>
  /** Adds, or replaces those of the same id. Their patterns are known to be good. */
  put(silences: readonly Silence[]): void
  /** Takes out what ended before a time. */
  prune(endedBeforeMs: number): void
}

interface Entry {
  readonly silence: Silence
  readonly matches: LabelTest
  /** Where it is found; `undefined` for a silence without an equality, which is tested against every alert. */
  readonly key: string | undefined
}

export type LabelTest = (labels: Labels) => boolean

/** Whether all matchers match. Throws `RegexError` for a pattern that is none. */
export function compileSilence(matchers: readonly Matcher[]): LabelTest {
  const tests = matchers.map((matcher) => ({ name: matcher.name, test: compileMatcher(matcher) }))
  return (labels) => tests.every(({ name, test }) => test(labels.get(name)))
}

export function createSilenceBook(silences: Iterable<Silence> = []): SilenceBook {
  const entries = new Map<string, Entry>()
  const byKey = new Map<string, Set<Entry>>()
  const unkeyed = new Set<Entry>()

  const remove = (id: string): void => {
    const entry = entries.get(id)
    if (entry === undefined) return
    entries.delete(id)
    unkeyed.delete(entry)
    const bucket = entry.key === undefined ? undefined : byKey.get(entry.key)
    bucket?.delete(entry)
    if (bucket?.size === 0 && entry.key !== undefined) byKey.delete(entry.key)
  }
  const add = (silence: Silence): void => {
    remove(silence.id)
    const key = keyOf(silence.matchers)
    const entry = { silence, matches: compileSilence(silence.matchers), key }
    entries.set(silence.id, entry)
    if (key === undefined) unkeyed.add(entry)
    else byKey.set(key, (byKey.get(key) ?? new Set()).add(entry))
  }
  for (const silence of silences) add(silence)

  return {
    silencedBy: (labels, nowMs) => {
      if (entries.size === 0) return []
      const ids: string[] = []
      const test = (entry: Entry): void => {
        const isActive = silenceStateAt(entry.silence, nowMs) === 'active'
        if (isActive && entry.matches(labels)) ids.push(entry.silence.id)
      }
      if (byKey.size > 0) for (const [name, value] of labels.pairs()) byKey.get(pairKey(name, value))?.forEach(test)
      unkeyed.forEach(test)
      return ids.sort()
    },
    get: (id) => entries.get(id)?.silence,
    all: () => Array.from(entries.values(), ({ silence }) => silence),
    put: (changed) => {
      for (const silence of changed) add(silence)
    },
    prune: (endedBeforeMs) => {
      for (const { silence } of [...entries.values()]) if (silence.endsAtMs < endedBeforeMs) remove(silence.id)
    },
  }
}

/** Many alerts share a severity and few a name: the equality that leaves the fewest alerts to test. */
const PREFERRED = ['cluster', 'alertname']

function keyOf(matchers: readonly Matcher[]): string | undefined {
  const equalities = matchers.filter(({ op, value }) => op === '=' && value !== '')
  const best = PREFERRED.map((name) => equalities.find((matcher) => matcher.name === name)).find(Boolean)
  const chosen = best ?? equalities[0]
  return chosen === undefined ? undefined : pairKey(chosen.name, chosen.value)
}

function pairKey(name: string, value: string): string {
  return `${name}\u0000${value}`
}
