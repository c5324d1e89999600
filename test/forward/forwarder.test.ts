import { describe, expect, test } from 'vitest'
import { bitsOfValue, NOW_MS, STALE_BITS } from '../store/temp-store.ts'
import { keyOf } from './remote-receiver.ts'
import { Rig } from './rig.ts'

const series = (name: string): string => `__name__=${name},cluster=prague`

describe('forwarding', () => {
  test('sends all samples with their bits, each series in order', async () => {
    const rig = await Rig.start()
    const ref = rig.store.resolve({ __name__: 'up', cluster: 'prague', näme: 'wörld' })
    for (let i = 0; i < 5; i++) rig.store.writer.appender.append(ref, NOW_MS + i * 1000, i - 2.5)
    rig.store.writer.appender.append(ref, NOW_MS - 5000, -0)
    rig.store.writer.appender.append(ref, NOW_MS + 6000, NaN)
    rig.store.writer.appender.appendStale(ref, NOW_MS + 7000)
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    const of = (name: string) => rig.receiver.stored.filter((one) => one.series === name)
    expect(of('__name__=up,cluster=prague,näme=wörld').map(({ timeMs, bits }) => [timeMs - NOW_MS, bits])).toEqual([
      [-5000, bitsOfValue(-0)],
      ...[0, 1, 2, 3, 4].map((i) => [i * 1000, bitsOfValue(i - 2.5)]),
      [6000, bitsOfValue(NaN)],
      [7000, STALE_BITS],
    ])
    expect(of(series('a')).map(({ timeMs }) => timeMs)).toEqual([NOW_MS])
    expect(rig.receiver.stored).toHaveLength(9)
    expect(rig.forwarder.status()).toMatchObject({ lagSamples: 0, lagSeconds: 0, totals: { samples: 9, retries: {} } })
  })

  test('continues after the stored position, and sends what came after it again', async () => {
    const rig = await Rig.start({ connections: 1 })
    rig.receiver.statuses = { buildinfo: { version: '2.54.0', revision: 'abc' } }
    rig.restartForwarder()
    await rig.append([['a', NOW_MS, 1]])
    await rig.drained()
    await rig.storeProgress()
    await rig.append([['a', NOW_MS + 1000, 2]])
    await rig.drained()
    rig.restartForwarder()
    await rig.append([['a', NOW_MS + 2000, 3]])
    await rig.drained()
    expect(rig.receiver.stored.map(({ timeMs }) => timeMs - NOW_MS)).toEqual([0, 1000, 1000, 2000])
  })

  test('splits what is refused down to the samples, and reports them', async () => {
    const rig = await Rig.start({ connections: 1 })
    const isBad = (one: { series: string; timeMs: number }): boolean =>
      one.series === series('s37') || (one.series === series('s80') && one.timeMs === NOW_MS + 1000)
    rig.receiver.decide = (samples) =>
      samples.some(isBad) ? { status: 400, text: 'out of order sample' } : { status: 204 }
    const samples = Array.from({ length: 100 }, (_, i) => i).flatMap((i) =>
      [0, 1000, 2000].map((ms) => [`s${i}`, NOW_MS + ms, i] as const),
    )
    await rig.append(samples)
    await rig.drained()
    const status = rig.forwarder.status()
    expect(status.totals).toMatchObject({ samples: 296, refused: { out_of_order: 4 }, repeatedSamples: 0 })
    expect(rig.receiver.distinct.size).toBe(296)
    // Two refused parts, of 100 series and then of three samples.
    expect(rig.receiver.requests.length).toBeLessThan(1 + 2 * 2 * (7 + 2) + 4)
    expect(status.refusals).toEqual([
      expect.objectContaining({ reason: 'out_of_order', text: 'HTTP 400: out of order sample' }),
    ])
    expect(status.refusals[0]!.series).toContain('__name__="s80"')
    expect(rig.forwarder.takeEvents().map(({ message }) => message)).toContain('the metrics store refused samples')
  })

  test.each([
    [{ status: 500 }, 'server_error'],
    [{ status: 503, headers: { 'retry-after': '7' } }, 'overloaded'],
    [{ status: 429 }, 'overloaded'],
    [{ status: 404 }, 'unexpected'],
    [{ status: 401 }, 'denied'],
    [{ status: 204, isBroken: true }, 'connection'],
    [{ status: 204, hangs: true }, 'timeout'],
  ] as const)('drops nothing after %j', async (answer, cause) => {
    const rig = await Rig.start({ timeoutMs: 300 })
    rig.receiver.decide = (_, request) => (request <= 3 ? { ...answer, stores: false } : { status: 204 })
    await rig.append([
      ['a', NOW_MS, 1],
      ['b', NOW_MS, 2],
    ])
    await rig.drained()
    expect(new Set(rig.receiver.stored.map(keyOf)).size).toBe(2)
    expect(rig.forwarder.status()).toMatchObject({ isFailing: false, totals: { retries: { [cause]: 3 } } })
    expect(rig.forwarder.status().lastError).toBeDefined()
  })
})
