/**
 * The colours of charts by their meaning: one table for all pages. The values for both themes are in `ui/styles/tokens.css`;
 * `test/web/palette.test.ts` measures their distances for readers with each kind of colour blindness. Pure.
 *
 * - **Series** that mean nothing else have one of eight hues. Red, amber and green are reserved for severity and outcome.
 * - **Versions** are a ramp: the oldest pale, the newest strong.
 * - **States, outcomes and phases** have the same colour wherever they are drawn.
 */

/** A custom property of the styles. */
export type ColorToken = `--dt-${string}`

/** As a value of CSS or of an SVG attribute. */
export const cssColor = (token: ColorToken): string => `var(${token})`

/** `#fff`, as a minifier writes it, is `#ffffff`. */
export const sixDigits = (color: string): string => (color.length === 4 ? color.replace(/\w/g, '$&$&') : color)

export const SERIES_COLORS = 8

/** The colour of a series by its place. */
export function seriesToken(place: number): ColorToken {
  return `--dt-series-${(place % SERIES_COLORS) + 1}`
}

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [10, 3, 2, 3]]

/** The dashes of a line by its place: with the colour, 32 lines differ, and neighbours of similar colour differ by dashes. */
export function dashesOf(place: number): readonly number[] {
  return DASHES[(Math.floor(place / 4) + Math.floor(place / 16)) % DASHES.length]!
}

export const RAMP_STEPS = 8

/** The palest step in which a thin line is visible. */
export const LINE_STEP_MIN = 4

/** Steps by age, newest first, for a few versions. */
const STEPS_BY_AGE = [8, 6, 4, 3, 2, 1] as const

export function rampToken(step: number): ColorToken {
  return `--dt-ramp-${step}`
}

/** The colour of a version by its age in minors, 0 for the newest. */
export function versionToken(age: number): ColorToken {
  return rampToken(STEPS_BY_AGE[Math.min(age, STEPS_BY_AGE.length - 1)]!)
}

/** The step of each version; many versions are spread evenly over the ramp. */
export function rampOf(newestFirst: readonly string[]): ReadonlyMap<string, number> {
  const last = Math.max(1, newestFirst.length - 1)
  return new Map(
    newestFirst.map((version, i) => [
      version,
      newestFirst.length <= STEPS_BY_AGE.length
        ? STEPS_BY_AGE[i]!
        : RAMP_STEPS - Math.round((i * (RAMP_STEPS - 1)) / last),
    ]),
  )
}

/** Phases of an upgrade in their order, each with the colour of its place. */
const PHASES = [
  'approval',
  'olm',
  'operands',
  'virt_handler.canary',
  'virt_handler.waves',
  'settle',
  'workloads',
  'platform',
] as const

/** States, outcomes and severities, as the API and the shipped dashboards spell them. */
const WORDS: Readonly<Record<ColorToken, readonly string[]>> = {
  '--dt-state-active': ['upgrading', 'in_progress', 'running', 'active'],
  '--dt-state-waiting': ['pending', 'waiting', 'approval_waiting', 'outdated_workloads'],
  '--dt-state-idle': ['superseded', 'skipped', 'silent', 'paused_pool', 'steady'],
  '--dt-state-unknown': ['unknown', 'not known', 'none', 'gone', ''],
  '--dt-good-text': ['succeeded', 'healthy', 'ok', 'resolved'],
  '--dt-info-text': ['info'],
  '--dt-warning-line': ['warning', 'degraded', 'tainted', 'cannot_plan'],
  '--dt-critical-fill': ['failed', 'error', 'critical', 'stuck', 'unhealthy', 'identity_conflict', 'firing'],
  '--dt-state-rolled-back': ['rolled_back'],
}
const STATES = new Map(
  Object.entries(WORDS).flatMap(([token, words]) => words.map((word) => [word, token as ColorToken] as const)),
)

/** The colour of a state, an outcome or a phase; `undefined` for other words. */
export function stateToken(word: string): ColorToken | undefined {
  const phase = (PHASES as readonly string[]).indexOf(word)
  return phase === -1 ? STATES.get(word) : seriesToken(phase)
}
