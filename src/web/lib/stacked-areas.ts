/**
 * Counts by day as stacked areas. A day is a step as wide as the day, because a count is valid for that day: a single day
 * is visible, and a day without count is a gap, not a slope. Pure; the unit of x is a day.
 */

export interface StackedArea {
  readonly key: string
  /** The attribute `d` of an SVG path; empty without counted days. */
  readonly path: string
}

/**
 * @param bands from the bottom up, with a value per day
 * @param isCounted by day
 * @param scale from day and value to the units of the drawing
 */
export function stackedAreas(
  bands: readonly { readonly key: string; readonly values: readonly number[] }[],
  isCounted: readonly boolean[],
  scale: { readonly x: (day: number) => number; readonly y: (value: number) => number },
): readonly StackedArea[] {
  const runs = runsOf(isCounted)
  const floor = new Float64Array(isCounted.length)
  return bands.map(({ key, values }) => {
    const parts = runs.map(([from, until]) => {
      const upper: string[] = []
      const lower: string[] = []
      for (let day = from; day < until; day++) {
        const [bottom, top] = [floor[day]!, floor[day]! + (values[day] ?? 0)]
        upper.push(stepTo(scale.x(day), scale.y(top)), stepTo(scale.x(day + 1), scale.y(top)))
        lower.push(stepTo(scale.x(day), scale.y(bottom)), stepTo(scale.x(day + 1), scale.y(bottom)))
        floor[day] = top
      }
      return `M${[...upper, ...lower.reverse()].join('L')}Z`
    })
    return { key, path: values.some((value) => value > 0) ? parts.join('') : '' }
  })
}

/** A line through the middle of each day. An unknown value is a gap; a single day between two gaps is a short dash. */
export function steppedLine(
  values: readonly (number | null)[],
  scale: { readonly x: (day: number) => number; readonly y: (value: number) => number },
): string {
  return runsOf(values.map((value) => value !== null))
    .map(([from, until]) => {
      const points = Array.from({ length: until - from }, (_, i) =>
        stepTo(scale.x(from + i + 0.5), scale.y(values[from + i]!)),
      )
      if (points.length > 1) return `M${points.join('L')}`
      const y = scale.y(values[from]!)
      return `M${stepTo(scale.x(from), y)}L${stepTo(scale.x(from + 1), y)}`
    })
    .join('')
}

/** Ranges of consecutive counted days: the first day, and the day after the last. */
export function runsOf(holds: readonly boolean[]): readonly (readonly [from: number, until: number])[] {
  const runs: [number, number][] = []
  for (const [day, one] of holds.entries()) {
    if (!one) continue
    const last = runs.at(-1)
    if (last?.[1] === day) last[1] = day + 1
    else runs.push([day, day + 1])
  }
  return runs
}

function stepTo(x: number, y: number): string {
  return `${round(x)} ${round(y)}`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
