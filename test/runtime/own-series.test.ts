import { expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { ownSeries } from '../../src/runtime/own-series.ts'

test('our own counters and gauges become series of this server', async () => {
  const metrics = createOwnMetrics('1.2.3')
  metrics.storeHeadBytes.set(7)
  metrics.ingestRefused.inc({ format: 'otlp', reason: 'out_of_order' }, 3)
  metrics.querySeconds.observe({ kind: 'instant' }, 1)
  const samples = await ownSeries(metrics, '127.0.0.1:4318', 5000)
  const texts = samples.map(({ labels, value }) => `${labels.toString()} ${value}`)
  expect(texts).toEqual(
    expect.arrayContaining([
      'daytwo_store_head_bytes{instance="127.0.0.1:4318", job="daytwo"} 7',
      'daytwo_ingest_samples_refused_total{format="otlp", instance="127.0.0.1:4318", job="daytwo", reason="out_of_order"} 3',
      'daytwo_build_info{instance="127.0.0.1:4318", job="daytwo", version="1.2.3"} 1',
    ]),
  )
  // Neither how long things took nor what Node says of the process: `/metrics` has them.
  expect(texts.filter((text) => /^(process|nodejs)_|_seconds_bucket|_duration_seconds_(sum|count)/.test(text))).toEqual(
    [],
  )
  expect(samples.every(({ timeMs, isStale }) => timeMs === 5000 && !isStale)).toBe(true)
})
