/**
 * Raw samples from VictoriaMetrics: `/api/v1/export`, one document per series and block. Stale markers are exported as null,
 * a first one as NaN; VictoriaMetrics stores no other NaN.
 */
import type { Labels } from '../model/labels.ts'
import { bitsOf, setStaleAt } from '../model/sample.ts'
import type { SeriesColumns } from '../model/series.ts'
import type { RemoteClient } from './client.ts'
import { tooManySeries, type FetchRequest } from './fetched-series.ts'
import { selectorText } from './matchers-text.ts'

/** Of one document: a longer series comes in several. */
const ROWS_PER_LINE = 10_000

interface Block {
  readonly timesMs: Float64Array
  readonly values: Float64Array
}

export async function fetchExport(client: RemoteClient, request: FetchRequest): Promise<readonly SeriesColumns[]> {
  const { matchers, fromMs, toMs, seriesMax, samplesMax, ...rest } = request
  const params = new URLSearchParams({
    'match[]': selectorText(matchers),
    start: String(fromMs / 1000),
    end: String(toMs / 1000),
    max_rows_per_line: String(ROWS_PER_LINE),
  })
  const blocks = new Map<string, { readonly labels: Labels; readonly list: Block[] }>()
  const frame = { list: 'lines', seriesMax: Infinity, samplesMax } as const
  await client.read(
    { ...rest, method: 'POST', path: '/api/v1/export', params },
    {
      ...frame,
      items: {
        series: ({ labels, timesMs, values }) => {
          const known = blocks.get(labels.key)
          if (known !== undefined) known.list.push({ timesMs, values })
          else if (blocks.size < seriesMax) blocks.set(labels.key, { labels, list: [{ timesMs, values }] })
          else throw tooManySeries(seriesMax)
        },
      },
    },
  )
  return Array.from(blocks.values(), ({ labels, list }) => joinedBlocks(labels, list))
}

/** In order of time, the last sample of equal times. */
function joinedBlocks(labels: Labels, list: readonly Block[]): SeriesColumns {
  const sorted = [...list].sort((a, b) => a.timesMs[0]! - b.timesMs[0]!)
  const length = sorted.reduce((sum, { timesMs }) => sum + timesMs.length, 0)
  const timesMs = new Float64Array(length)
  const values = new Float64Array(length)
  const bits = bitsOf(values)
  let count = 0
  for (const block of sorted) {
    for (let i = 0; i < block.timesMs.length; i++) {
      if (count > 0 && block.timesMs[i]! === timesMs[count - 1]) count--
      timesMs[count] = block.timesMs[i]!
      const value = block.values[i]!
      values[count] = value
      if (value !== value) setStaleAt(bits, count)
      count++
    }
  }
  return { ref: 0, labels, count, timesMs, values }
}
