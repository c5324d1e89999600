import { criticalPath, pathNsBySpan } from './critical-path.ts'
import { phaseLanes, spanWords } from './trace-phases.ts'
import type { Trace } from './trace.ts'

/**
 * The difference of two traces, by span and by phase. Pure.
 *
 * Definition. Two spans are the same when they and all of their ancestors have the same words and the same position among
 * their siblings of the same words, by start. A span accounts for its own time on the critical path (`critical-path.ts`);
 * the time of no span is a row of its own. The path covers each trace exactly once, so the differences of all rows sum to
 * the difference of the durations.
 */
interface TraceDiff {
  /** This trace minus the other one; negative: this one was shorter. */
  readonly differenceNs: number
  /** By the difference on the critical path, largest first; then by the difference in duration. */
  readonly rows: readonly SpanDiff[]
  /** In the order of the conventions; empty when neither trace is of an upgrade. */
  readonly phases: readonly PhaseDiff[]
}

/** Durations in this trace (`here`) and the other one (`there`), and their parts on the critical path. */
interface Durations {
  readonly hereNs: number
  readonly thereNs: number
  readonly herePathNs: number
  readonly therePathNs: number
}

export interface SpanDiff extends Durations {
  /** Unique among the rows. */
  readonly key: number
  readonly text: string
  /** Words of its parent; empty for a root. */
  readonly below: string
  /** Position among the siblings of the same words, from 1. */
  readonly occurrence: number
  /** Indices in the spans of each trace; `undefined`: only in the other one, or (both) the time of no span. */
  readonly here: number | undefined
  readonly there: number | undefined
  /** `herePathNs - therePathNs`. */
  readonly pathDifferenceNs: number
}

/** All spans of a phase together: the time in which at least one of them ran. */
export interface PhaseDiff extends Durations {
  readonly text: string
  readonly isIn: 'both' | 'here' | 'there'
}

/** The key of the time of no span. */
export const NOBODY_KEY = 0

export function traceDiff(here: Trace, there: Trace): TraceDiff {
  const [hereNs, thereNs] = [pathNsBySpan(criticalPath(here)), pathNsBySpan(criticalPath(there))]
  const keyOf = createKeys()
  const places = placesByKey(here, keyOf)
  const others = placesByKey(there, keyOf)
  const rowOf = (key: number): SpanDiff => {
    const [at, other] = [places.get(key), others.get(key)]
    const named = at ?? other
    const [spanHere, spanThere] = [at && here.spans[at.place], other && there.spans[other.place]]
    const herePathNs = at === undefined ? 0 : (hereNs.get(at.place) ?? 0)
    const therePathNs = other === undefined ? 0 : (thereNs.get(other.place) ?? 0)
    return {
      key,
      text: named?.text ?? '',
      below: named?.below ?? '',
      occurrence: named?.occurrence ?? 1,
      here: at?.place,
      there: other?.place,
      hereNs: spanHere === undefined ? 0 : spanHere.toNs - spanHere.fromNs,
      thereNs: spanThere === undefined ? 0 : spanThere.toNs - spanThere.fromNs,
      herePathNs,
      therePathNs,
      pathDifferenceNs: herePathNs - therePathNs,
    }
  }
  const rows = [...new Set([...places.keys(), ...others.keys()])].map(rowOf)
  const nobody = nobodyRow(hereNs.get(-1) ?? 0, thereNs.get(-1) ?? 0)
  return {
    differenceNs: here.durationNs - there.durationNs,
    rows: (nobody === undefined ? rows : [...rows, nobody]).sort(largestFirst),
    phases: phaseDiffs(phaseLanes(here, hereNs), phaseLanes(there, thereNs)),
  }
}

function nobodyRow(herePathNs: number, therePathNs: number): SpanDiff | undefined {
  if (herePathNs === 0 && therePathNs === 0) return undefined
  return {
    ...{ key: NOBODY_KEY, text: 'between spans', below: '', occurrence: 1, here: undefined, there: undefined },
    ...{ hereNs: herePathNs, thereNs: therePathNs, herePathNs, therePathNs },
    pathDifferenceNs: herePathNs - therePathNs,
  }
}

function largestFirst(a: SpanDiff, b: SpanDiff): number {
  return (
    Math.abs(b.pathDifferenceNs) - Math.abs(a.pathDifferenceNs) ||
    Math.abs(b.hereNs - b.thereNs) - Math.abs(a.hereNs - a.thereNs) ||
    a.key - b.key
  )
}

interface NamedPlace extends Pick<SpanDiff, 'text' | 'below' | 'occurrence'> {
  readonly place: number
}

/** Parents come before their children, and siblings by start, so one pass is enough. */
function placesByKey({ spans }: Trace, keyOf: (path: string) => number): ReadonlyMap<number, NamedPlace> {
  const keys: number[] = []
  const counts = new Map<string, number>()
  return new Map(
    spans.map((span, place) => {
      const text = spanWords(span)
      const above = spans[span.parent]
      const path = `${keys[span.parent] ?? 0} ${text}`
      const occurrence = (counts.get(path) ?? 0) + 1
      counts.set(path, occurrence)
      const key = keyOf(`${occurrence} ${path}`)
      keys.push(key)
      return [key, { place, text, below: above === undefined ? '' : spanWords(above), occurrence }] as const
    }),
  )
}

/** Numbers for paths of names, shared by both traces: the paths themselves grow with the depth of the trace. */
function createKeys(): (path: string) => number {
  const known = new Map<string, number>()
  return (path) => {
    const key = known.get(path) ?? known.size + 1
    known.set(path, key)
    return key
  }
}

type Lane = ReturnType<typeof phaseLanes>[number]

/** In the order of this trace; a phase of only the other one follows its predecessor there. */
function phaseDiffs(here: readonly Lane[], there: readonly Lane[]): readonly PhaseDiff[] {
  const texts = here.map(({ text }) => text)
  there.forEach(({ text }, i) => {
    if (texts.includes(text)) return
    const before = there.slice(0, i).findLast((one) => texts.includes(one.text))
    texts.splice(before === undefined ? 0 : texts.indexOf(before.text) + 1, 0, text)
  })
  return texts.map((text) => {
    const [at, other] = [here, there].map((lanes) => lanes.find((lane) => lane.text === text))
    return {
      text,
      hereNs: at?.ranNs ?? 0,
      thereNs: other?.ranNs ?? 0,
      herePathNs: at?.pathNs ?? 0,
      therePathNs: other?.pathNs ?? 0,
      isIn: at === undefined ? 'there' : other === undefined ? 'here' : 'both',
    }
  })
}

/** The rows with the largest differences, and the sum of all others. */
export function largestDiffs(rows: readonly SpanDiff[], most: number): { shown: readonly SpanDiff[]; restNs: number } {
  const onPath = rows.filter(({ pathDifferenceNs }) => pathDifferenceNs !== 0)
  return {
    shown: onPath.slice(0, most),
    restNs: onPath.slice(most).reduce((sum, { pathDifferenceNs }) => sum + pathDifferenceNs, 0),
  }
}
