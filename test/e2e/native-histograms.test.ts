import { afterEach, expect, test } from 'vitest'
import { startHistogramExporter } from '../support/histogram-exporter.ts'
import { skipInScaleOut } from '../support/mode.ts'
import { requirePeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { startServer, withoutContent } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// A stock Prometheus scrapes native histograms and sends them on; both must answer the same of them.

const NAME = 'upgrade_phase_seconds'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Answered {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: readonly [number, string]
  readonly histogram?: readonly [number, unknown]
}

async function ask(url: string, query: string, timeMs: number): Promise<readonly Answered[]> {
  const parameters = new URLSearchParams({ query, time: String(timeMs / 1000) })
  const response = await fetch(`${url}/api/v1/query?${parameters.toString()}`)
  const answer = (await response.json()) as { readonly data: { readonly result: readonly Answered[] } }
  return answer.data.result
}

/** Without the labels that Prometheus adds when it sends. */
const valuesOf = (answers: readonly Answered[]): unknown => answers.map(({ value, histogram }) => value ?? histogram)

test('native histograms of a stock Prometheus arrive whole', { timeout: 120_000 }, async (context) => {
  skipInScaleOut(context, 'VictoriaMetrics does not store native histograms, and answers report it')
  const path = requirePeer('prometheus', context)
  const data = tempDir('native-histograms')
  closers.push(() => {
    data.remove()
  })
  const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...withoutContent()])
  closers.push(() => server.stop())
  const exporter = await startHistogramExporter(NAME)
  closers.push(() => exporter.close())
  for (const bucket of [-40, -39, 0, 8, 9, 24]) exporter.observe(bucket, 2 ** ((bucket - 0.5) / 8))
  const prometheus = await startPrometheus({
    path,
    targets: [exporter.address],
    remoteWriteUrl: `${server.url}/api/v1/write`,
    externalLabels: { cluster: 'prague-prod-01' },
    hasNativeHistograms: true,
  })
  closers.push(() => prometheus.stop())

  const countOf = async (): Promise<number> =>
    Number((await ask(server.url, `histogram_count(${NAME})`, Date.now()))[0]?.value?.[1] ?? 0)
  await until('the first histogram', async () => ((await countOf()) === 6 ? true : undefined))
  for (const bucket of [8, 8, 25, 26, 60]) exporter.observe(bucket, 2 ** ((bucket - 0.5) / 8))
  await until('the observations after it', async () => ((await countOf()) === 11 ? true : undefined))

  // Of a moment that both have: the newest sample of Daytwo is not newer than the one of Prometheus.
  const [newest] = await ask(server.url, `timestamp(${NAME})`, Date.now())
  const timeMs = Math.round(Number(newest!.value![1]) * 1000)
  const histogram = await ask(server.url, NAME, timeMs)
  expect(histogram[0]?.metric['cluster']).toBe('prague-prod-01')
  expect(histogram[0]?.histogram?.[1]).toMatchObject({ count: '11' })
  for (const query of [
    NAME,
    `histogram_count(${NAME})`,
    `histogram_sum(${NAME})`,
    `sum(${NAME})`,
    `histogram_count(increase(${NAME}[1h])) > bool 0`,
  ]) {
    expect(valuesOf(await ask(server.url, query, timeMs)), query).toEqual(
      valuesOf(await ask(prometheus.url, query, timeMs)),
    )
  }
  const metadata = (await (await fetch(`${server.url}/api/v1/metadata?metric=${NAME}`)).json()) as { data: unknown }
  expect(metadata.data).toEqual({
    [NAME]: [{ type: 'histogram', help: 'How long a phase of an upgrade took.', unit: '' }],
  })
})
