import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { parseValue } from '../format-number.ts'

/** A range vector (`up[5m]`): series with their stored samples. Pure. */

type Matrix = Extract<QueryAnswer['data'], { resultType: 'matrix' }>['result']

export interface RawSample {
  readonly timeSeconds: number
  /** The server's text; of a histogram its count and sum. */
  readonly text: string
  /** Since the previous sample; `undefined` for the first. */
  readonly afterSeconds: number | undefined
}

/** All samples of one series, oldest first, floats and histograms together. */
export function rawSamples({ values = [], histograms = [] }: Matrix[number]): readonly RawSample[] {
  const samples = [
    ...values.map(([timeSeconds, text]) => ({ timeSeconds, text })),
    ...histograms.map(([timeSeconds, { count, sum }]) => ({ timeSeconds, text: `count ${count}, sum ${sum}` })),
  ].sort((a, b) => a.timeSeconds - b.timeSeconds)
  return samples.map((sample, i) => {
    const before = samples[i - 1]
    return { ...sample, afterSeconds: before === undefined ? undefined : sample.timeSeconds - before.timeSeconds }
  })
}

/** Samples that a line cannot show (`NaN`, infinities): the number of series with any, and the values. */
export function unseenInLines(matrix: Matrix): { readonly series: number; readonly words: readonly string[] } {
  const words = new Set<string>()
  let series = 0
  for (const { values = [] } of matrix) {
    const own = values.filter(([, text]) => !Number.isFinite(parseValue(text)))
    if (own.length > 0) series++
    for (const [, text] of own) words.add(text)
  }
  return { series, words: [...words].sort() }
}
