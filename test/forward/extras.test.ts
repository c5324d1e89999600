import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { NOW_MS } from '../store/temp-store.ts'
import { histogramOf } from '../support/histograms.ts'
import { Rig } from './rig.ts'

const FEATURES = { 'enable-feature': 'exemplar-storage,native-histograms' }
const PROMETHEUS = { buildinfo: { version: '2.54.0', revision: 'abc' }, flags: FEATURES }

async function fill(rig: Rig): Promise<void> {
  const { appender } = rig.store.writer
  const ref = rig.store.resolve({ __name__: 'latency', cluster: 'prague' })
  appender.appendHistogram(ref, NOW_MS, histogramOf(2, 1))
  appender.append(ref, NOW_MS + 1000, 7)
  appender.appendExemplar(ref, { labels: Labels.of({ trace_id: 'abc' }), value: 1.5, timeMs: NOW_MS })
  appender.describe('latency', { type: 'histogram', help: 'How long.', unit: 'seconds' })
  await rig.store.writer.commit()
}

describe.each(['1.0', '2.0'])('by remote write %s', (protocol) => {
  async function start(kind: 'prometheus' | 'mimir', statuses: Record<string, unknown>): Promise<Rig> {
    const rig = await Rig.start({ kind, connections: 1 })
    rig.receiver.hasV2 = protocol === '2.0'
    rig.receiver.statuses = statuses
    rig.restartForwarder()
    return rig
  }

  test('histograms, exemplars and metadata are sent to a store that accepts them', async () => {
    const rig = await start('mimir', {})
    await fill(rig)
    await rig.until('all of it', () => rig.forwarder.status().totals.metadata === 1)
    expect(rig.receiver.histograms).toEqual([histogramOf(2, 1)])
    expect(rig.receiver.stored.map(({ timeMs }) => timeMs)).toEqual([NOW_MS + 1000])
    expect(rig.receiver.exemplars).toEqual(['{trace_id="abc"} 1.5'])
    expect(rig.receiver.metadata).toEqual(['latency histogram How long.'])
    expect(rig.forwarder.status()).toMatchObject({
      remote: { protocol },
      progress: { exemplar: 1, metadata: 1 },
      totals: { samples: 2, exemplars: 1, metadata: 1, skippedHistograms: 0 },
    })
    // Once: the next run continues after them.
    await rig.storeProgress()
    rig.restartForwarder()
    await fill(rig)
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    expect(rig.receiver.exemplars).toHaveLength(1)
  })

  test('a sample that is refused is found', async () => {
    const rig = await start('prometheus', PROMETHEUS)
    rig.receiver.decide = (samples) =>
      samples.some(({ series }) => series.includes('s3,')) ? { status: 400, text: 'invalid' } : { status: 204 }
    await rig.append(Array.from({ length: 8 }, (_, i) => [`s${i}`, NOW_MS, i] as const))
    await rig.drained()
    expect(rig.receiver.distinct.size).toBe(7)
    expect(rig.forwarder.status().totals.refused.invalid).toBe(1)
  })
})

test('a Prometheus without the features has the samples, and what it lacks is reported at the start and counted', async () => {
  const rig = await Rig.start()
  rig.receiver.statuses = { ...PROMETHEUS, flags: { 'enable-feature': '' } }
  rig.restartForwarder()
  await fill(rig)
  await rig.drained()
  expect(rig.receiver.histograms).toEqual([])
  expect(rig.receiver.stored).toHaveLength(1)
  expect(rig.receiver.exemplars).toEqual([])
  expect(rig.forwarder.status().totals).toMatchObject({ samples: 1, skippedHistograms: 1, exemplars: 0 })
  const reported = rig.forwarder
    .takeEvents()
    .map(({ message, fields }) => `${message}: ${String(fields['what'] ?? '')}`)
  expect(reported).toEqual([
    'samples are forwarded: ',
    'the metrics store does not accept everything: metadata',
    'the metrics store does not accept everything: native histograms',
    'the metrics store does not accept everything: exemplars',
  ])
  expect(rig.forwarder.takeEvents()).toEqual([])
})

test('a histogram that was packed meanwhile is found', async () => {
  const rig = await Rig.start({ kind: 'mimir' })
  await rig.receiver.pause()
  rig.restartForwarder()
  await fill(rig)
  await rig.store.writer.maintain(NOW_MS + 8 * 3_600_000)
  await rig.receiver.resume()
  await rig.drained()
  expect(rig.receiver.histograms).toEqual([histogramOf(2, 1)])
})

test('a receiver of 2.0 that stored a part says how much, and nothing is split', async () => {
  const rig = await Rig.start({ kind: 'mimir', connections: 1 })
  rig.receiver.hasV2 = true
  rig.receiver.decide = () => ({
    status: 400,
    text: 'out of order sample',
    stores: true,
    headers: { 'X-Prometheus-Remote-Write-Samples-Written': '3' },
  })
  rig.restartForwarder()
  await rig.append(Array.from({ length: 5 }, (_, i) => [`s${i}`, NOW_MS, i] as const))
  await rig.drained()
  expect(rig.receiver.requests).toHaveLength(1)
  expect(rig.forwarder.status().totals).toMatchObject({ samples: 3, refused: { out_of_order: 2 } })
})

test('a receiver that no longer accepts 2.0 gets 1.0', async () => {
  const rig = await Rig.start({ kind: 'mimir' })
  rig.receiver.hasV2 = true
  rig.receiver.decide = (_, request) => (request === 1 ? { status: 415 } : { status: 204 })
  rig.restartForwarder()
  await rig.append([['a', NOW_MS, 1]])
  await rig.drained()
  expect(rig.receiver.requests.map(({ headers }) => headers['x-prometheus-remote-write-version'])).toEqual([
    '2.0.0',
    '0.1.0',
  ])
  expect(rig.receiver.distinct.size).toBe(1)
})

test('a tenant and further headers are sent, and reloaded after a 401', async () => {
  let token = 'old'
  const tenantHeaders = { 'x-scope-orgid': 'sre' }
  const rig = await Rig.start({ http: { tenantHeaders, readHeaders: () => ({ authorization: token }) } })
  await rig.append([['a', NOW_MS, 1]])
  await rig.drained()
  rig.receiver.decide = (_, request) => (request < 4 ? { status: 401 } : { status: 204 })
  token = 'new'
  await rig.append([['a', NOW_MS + 1000, 1]])
  await rig.drained()
  const sent = rig.receiver.requests.map(({ headers }) => [headers['x-scope-orgid'], headers['authorization']])
  expect(sent).toEqual([
    ['sre', 'old'],
    ['sre', 'old'],
    ['sre', 'new'],
    ['sre', 'new'],
  ])
})

test('samples of a cluster that was erased are not sent', async () => {
  const rig = await Rig.start()
  await rig.receiver.pause()
  await rig.append([
    ['a', NOW_MS, 1],
    ['b', NOW_MS, 2],
  ])
  const other = rig.store.resolve({ __name__: 'c', cluster: 'berlin' })
  rig.store.writer.appender.append(other, NOW_MS, 3)
  await rig.store.writer.commit()
  await rig.store.writer.beginErasure('prague', 'id', 'me', NOW_MS)
  for (let second = 0; second < 60; second++) await rig.store.writer.maintain(NOW_MS + second * 1000)
  await rig.receiver.resume()
  await rig.drained()
  expect(rig.receiver.stored.map(({ series }) => series)).toEqual(['__name__=c,cluster=berlin'])
})
