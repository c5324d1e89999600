import { afterEach, describe, expect, test } from 'vitest'
import { startExporter } from '../support/exporter.ts'
import { requirePeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { until } from '../support/until.ts'
import { startWriteReceiver, type ReceivedSeries, type WriteReceiver } from '../support/write-receiver.ts'

// The chain a real cluster has: exporter, Prometheus, remote write. Here it ends in a receiver that keeps what came.

const COUNTER = 'kubevirt_hco_out_of_band_modifications_total'
const KUBEVIRT = { component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged' }

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function received(receiver: WriteReceiver, name: string): ReceivedSeries | undefined {
  return [...receiver.series.values()].find(({ labels }) => labels.metricName === name)
}

describe('a real Prometheus', () => {
  test('sends what the exporter shows, with the births and ends of series', async (context) => {
    const path = requirePeer('prometheus', context)
    const exporter = await startExporter()
    closers.push(() => exporter.close())
    const receiver = await startWriteReceiver()
    closers.push(() => receiver.close())
    const prometheus = await startPrometheus({
      path,
      targets: [exporter.address],
      targetLabels: { namespace: 'kubevirt-hyperconverged' },
      remoteWriteUrl: `${receiver.url}/api/v1/write`,
      externalLabels: { cluster: 'prague-prod-01', region: 'eu-central' },
    })
    closers.push(() => prometheus.stop())

    const exists = await until('the first scrape', () => received(receiver, 'kubevirt_hco_hyperconverged_cr_exists'))
    expect(exists.labels.toObject()).toEqual({
      __name__: 'kubevirt_hco_hyperconverged_cr_exists',
      cluster: 'prague-prod-01',
      instance: exporter.address,
      job: 'kubevirt-hyperconverged-operator-metrics',
      namespace: 'kubevirt-hyperconverged',
      region: 'eu-central',
    })
    expect(exists.samples[0]).toMatchObject({ value: 1, isStale: false })
    expect(received(receiver, COUNTER)).toBeUndefined()
    expect(receiver.requests[0]?.headers).toMatchObject({
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
    })

    exporter.set(COUNTER, KUBEVIRT, 1)
    const counter = await until('the counter to be born', () => received(receiver, COUNTER))
    expect(counter.samples[0]).toMatchObject({ value: 1, isStale: false })
    expect(await prometheus.query(COUNTER)).toMatchObject([{ metric: KUBEVIRT, value: 1 }])

    exporter.remove(COUNTER, KUBEVIRT)
    await until('its stale marker', () => received(receiver, COUNTER)?.samples.find(({ isStale }) => isStale))
  })

  test('says so when it cannot start', async (context) => {
    const path = requirePeer('prometheus', context)
    await expect(startPrometheus({ path, targets: [], externalLabels: { 'not a label': 'x' } })).rejects.toThrow(
      /ended with code/,
    )
  })
})
