/**
 * Claims of an English text about the numbers of a rule: durations, windows and thresholds. Only explicit phrases are read
 * ("for 10 minutes", "in the last hour", "above 90%"); a number alone is no claim.
 */
export interface Claim {
  readonly kind: 'duration' | 'threshold'
  /** As written in the text. */
  readonly text: string
  /** Milliseconds of a duration; a threshold as written, with its unit applied. */
  readonly value: number
  /** A percentage: 90 may mean 0.9. */
  readonly isPercent: boolean
  readonly from: number
  readonly to: number
}

const MINUTE_MS = 60_000
const UNITS_MS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    second: 1000,
    minute: MINUTE_MS,
    hour: 60 * MINUTE_MS,
    day: 24 * 60 * MINUTE_MS,
    week: 7 * 24 * 60 * MINUTE_MS,
  }),
)

const WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
    ...{ twelve: 12, fifteen: 15, twenty: 20, thirty: 30, forty: 40, 'forty-five': 45, sixty: 60, half: 0.5 },
  }),
)

const NUMBER = String.raw`(\d+(?:\.\d+)?|${[...WORDS.keys()].join('|')})`
const LENGTH = String.raw`(?:${NUMBER}(?:\s+an?\b)?(?:-|\s+)?)?(seconds?|minutes?|hours?|days?|weeks?)\b`
const DURATION_CLAIMS = [
  String.raw`\bfor (?:at least |more than |over |longer than |about )?${LENGTH}`,
  String.raw`\b(?:in|over|during|within) the (?:last|past) ${LENGTH}`,
  String.raw`\b(?:longer|more) than ${LENGTH}`,
].map((pattern) => new RegExp(pattern, 'gi'))

const THRESHOLD_CLAIM =
  /\b(?:above|below|under|over|more than|less than|fewer than|at least|at most|exceeds?|exceeded) (\d+(?:\.\d+)?)(?:\s?(%|percent\b|[KMGT]iB\b))?(?!\s?(?:seconds?|minutes?|hours?|days?|weeks?|[smhd]\b)|[\w.]*\d)/gi

const SIZES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 }),
)

/** In the order of the text; offsets are into the text. */
export function claimsIn(text: string): Claim[] {
  const durations = DURATION_CLAIMS.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(durationOf))
  const thresholds = [...text.matchAll(THRESHOLD_CLAIM)].map(thresholdOf)
  const seen = new Set<string>()
  return [...durations, ...thresholds]
    .sort((a, b) => a.from - b.from)
    .filter(({ to, kind }) => {
      const key = `${kind} ${to}`
      return !seen.has(key) && seen.add(key)
    })
}

function durationOf(match: RegExpMatchArray): Claim[] {
  const [text, number, unit = ''] = match
  // "for days" and "the last minutes" are not exact; "the last hour" is.
  if (number === undefined && unit.endsWith('s')) return []
  const count = number === undefined ? 1 : (WORDS.get(number.toLowerCase()) ?? Number(number))
  const value = count * UNITS_MS.get(unit.toLowerCase().replace(/s$/, ''))!
  return [{ kind: 'duration', text, value, isPercent: false, from: match.index!, to: match.index! + text.length }]
}

function thresholdOf(match: RegExpMatchArray): Claim {
  const [text, number, unit = ''] = match
  const value = Number(number) * (SIZES.get(unit.toLowerCase()) ?? 1)
  const isPercent = unit === '%' || unit.toLowerCase() === 'percent'
  return { kind: 'threshold', text, value, isPercent, from: match.index!, to: match.index! + text.length }
}
