import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { planHistory } from '../../sim/history/plan-history.ts'
import { shippingOf } from '../../sim/history/shipments.ts'
import { upgradeSpans } from '../../sim/history/spans.ts'
import { createHistoryPlayer, type HistoryPlayer } from '../../sim/history-player.ts'
import { encodeStatus } from '../../src/wire/otlp/answer.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import { startOtlpSink, type OtlpSink } from '../support/otlp-sink.ts'

const MONTH = { seed: 'played', fromMs: Date.UTC(2026, 5, 20), untilMs: Date.UTC(2026, 6, 20), mode: 'all' } as const
const drawn = Array.from({ length: 12 }, (_, index) => planHistory({ ...MONTH, index })).find(
  ({ upgrades }) => (upgrades[0]?.endMs ?? Infinity) < MONTH.untilMs,
)!
const history = { ...drawn, tells: { objects: true, metrics: true, spans: true } }
const shipments = shippingOf(history, { hasFailovers: false }).until(Infinity)

let hook: HookServer
let sink: OtlpSink
let player: HistoryPlayer | undefined

beforeEach(async () => {
  hook = await startHook()
  sink = await startOtlpSink()
})
afterEach(async () => {
  await player?.close()
  await hook.stop()
  await sink.stop()
})

test('each kind of shipment goes where its sender sends it, with the token', async () => {
  player = createHistoryPlayer({ url: hook.url, token: 'secret', clock: systemClock })
  const few = (['samples', 'objects', 'spans'] as const).map((kind) => shipments.find((one) => one.kind === kind)!)
  await player.send(history, few)
  const got = hook.got.map(({ path, headers }) => [path, headers.authorization, headers['content-type']])
  expect(new Map(got.map(([path, ...rest]) => [path, rest]))).toEqual(
    new Map([
      ['/api/v1/write', ['Bearer secret', 'application/x-protobuf']],
      ['/v1/logs', ['Bearer secret', 'application/x-protobuf']],
      ['/v1/traces', ['Bearer secret', 'application/json']],
    ]),
  )
  expect(player.counts()).toMatchObject({ samples: { refused: 0 }, objects: { refused: 0 }, spans: { taken: 1 } })
})

test('spans of an operator are a trace with its own ids, below one root', async () => {
  player = createHistoryPlayer({ url: sink.url, clock: systemClock })
  await player.send(
    history,
    shipments.filter(({ kind }) => kind === 'spans'),
  )
  const told = upgradeSpans(history)
  const sentOf = ({ traceId, spanId, parentSpanId, name }: (typeof sink.spans)[number]): readonly unknown[] => {
    return [traceId, spanId, parentSpanId ?? '', name]
  }
  const sent = new Set(sink.spans.map((span) => JSON.stringify(sentOf(span))))
  expect(sent).toEqual(
    new Set(
      told.map(({ traceId, spanId, parentSpanId, name }) =>
        JSON.stringify([traceId, spanId, parentSpanId ?? '', name]),
      ),
    ),
  )
  const roots = sink.spans.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === '')
  expect(new Set(roots.map(({ name }) => name))).toEqual(new Set(['upgrade kubevirt-hyperconverged']))
  expect(typeof sink.spans[0]!.attributes['upgrade.to.version']).toBe('string')
})

test('what is refused is counted with what was said', async () => {
  player = createHistoryPlayer({ url: hook.url, clock: systemClock })
  hook.answer = [{ status: 400, body: 'too old' }]
  await player.send(history, [shipments.find(({ kind }) => kind === 'samples')!])
  await player.send(history, [shipments.find(({ kind }) => kind === 'spans')!])
  const { samples, spans } = player.counts()
  expect(samples.taken).toBe(0)
  expect(samples.refused).toBeGreaterThan(0)
  expect(samples.lastRefusal).toContain('too old')
  expect(spans.refused).toBe(1)
})

test('what a receiver of OTLP refuses is quoted as a person reads it, not as the bytes it is wrapped in', async () => {
  const message =
    'log record 3 has no time, and none was observed: a record needs one of them, and all others were taken too'
  player = createHistoryPlayer({ url: hook.url, clock: systemClock })
  const body = Buffer.from(encodeStatus('protobuf', 3, message)).toString('utf8')
  hook.answer = [{ status: 400, body, headers: { 'content-type': 'application/x-protobuf' } }]
  await player.send(history, [shipments.find(({ kind }) => kind === 'objects')!])
  expect(player.counts().objects.lastRefusal).toBe(`400 ${message}`)
  hook.answer = [{ status: 400, body: 'not protobuf', headers: { 'content-type': 'application/x-protobuf' } }]
  await player.send(history, [shipments.find(({ kind }) => kind === 'objects')!])
  expect(player.counts().objects.lastRefusal).toBe('400 not protobuf')
})
