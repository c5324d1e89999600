import { LINE_STEP_MIN, rampOf, rampToken, seriesToken, stateToken, type ColorToken } from '../palette.ts'
import { compareVersions } from '../version-order.ts'

/** The colours of the series of a panel: those of their versions or states, otherwise by their place. Pure. */

export interface NamedSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** The colour of each series that is a version, a state, an outcome or a phase; `undefined` for others. */
export function meaningTokens(series: readonly NamedSeries[], areLines = false): readonly (ColorToken | undefined)[] {
  const versions = series.filter(isVersion).map(({ name }) => name)
  const ramp = rampOf([...new Set(versions)].sort(compareVersions))
  return series.map(({ name }) => {
    const step = ramp.get(name)
    return step === undefined ? stateToken(name) : rampToken(areLines ? Math.max(LINE_STEP_MIN, step) : step)
  })
}

/** @param areLines thin lines, which need more contrast than areas */
export function seriesTokens(series: readonly NamedSeries[], areLines = false): readonly ColorToken[] {
  return meaningTokens(series, areLines).map((token, place) => token ?? seriesToken(place))
}

/** Whether a series is named by a label of a version: a number elsewhere is none. */
function isVersion({ name, labels }: NamedSeries): boolean {
  return (
    /^v?\d+\.\d/.test(name) && Object.entries(labels).some(([label, value]) => value === name && /version$/.test(label))
  )
}
