/**
 * Raw samples from a store without remote read: a range selector at the end of the range. Such answers have no stale markers, so a
 * series that ended counts for the lookback after its last sample.
 */
import type { SeriesColumns } from '../model/series.ts'
import type { RemoteClient } from './client.ts'
import { columnsOfSeries, type FetchRequest } from './fetched-series.ts'
import { selectorText } from './matchers-text.ts'
import type { StoreTraits } from './traits.ts'

export async function fetchRanges(
  client: RemoteClient,
  request: FetchRequest,
  { isLeftOpen }: Pick<StoreTraits, 'isLeftOpen'>,
): Promise<readonly SeriesColumns[]> {
  const { matchers, fromMs, toMs, seriesMax, samplesMax, ...rest } = request
  const rangeMs = Math.max(1, toMs - fromMs + (isLeftOpen ? 1 : 0))
  const params = new URLSearchParams({ query: `${selectorText(matchers)}[${rangeMs}ms]`, time: String(toMs / 1000) })
  const series: SeriesColumns[] = []
  await client.read(
    { ...rest, method: 'POST', path: '/api/v1/query', params },
    {
      list: 'result',
      seriesMax,
      samplesMax,
      items: {
        series: ({ labels, timesMs, values, histogramTimesMs, histograms }) => {
          series.push(columnsOfSeries(labels, { timesMs, values }, histogramTimesMs, histograms))
        },
      },
    },
  )
  return series
}
