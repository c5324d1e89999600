import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { Inhibitor } from '../../src/notify/inhibitor.ts'
import { compareByLabels } from '../../src/notify/message.ts'
import { MESSAGE_ALERTS_MAX, TEMPLATE_ALERTS_MAX } from '../../src/notify/notification-log.ts'
import { createPipelineState, type PipelineAlert } from '../../src/notify/pipeline-state.ts'
import { runStages } from '../../src/notify/pipeline.ts'
import { atOnce } from '../support/at-once.ts'
import { startHook } from '../support/hook-server.ts'
import { memoryNotify } from '../support/notify.ts'
import { START_MS, alertOf, configOf } from './timeline.ts'

// Tens of thousands of alerts at once: other work runs between the steps, and nothing is quadratic or without a limit.

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const configText = (integration: string): string => `
route: { receiver: r, group_by: [alertname], group_wait: 0s, group_interval: 1m }
receivers: [{ name: r, ${integration} }]
`
const WEBHOOK = configText("webhook_configs: [{ url: 'http://127.0.0.1:1/' }]")

const alertsOf = (count: number): PipelineAlert[] =>
  Array.from({ length: count }, (_, i) => alertOf(`A vm=${i}`, 'firing', START_MS))

const stateOf = (config: string) =>
  createPipelineState({
    ...{ config: configOf(config), externalUrl: 'http://daytwo', notified: [] },
    silences: { silencedBy: () => [] },
    upgrades: { expectedFor: () => undefined },
  })

describe('a cycle of the pipeline', () => {
  test('has as many pauses as alerts, not as stages', () => {
    const pauses = (count: number): number => {
      const steps = runStages(stateOf(WEBHOOK), alertsOf(count), START_MS)
      let seen = 0
      while (steps.next().done !== true) seen++
      return seen
    }
    const few = pauses(10)
    // Index (twice), groups, four stages that hold back, the decision and the message: each 256 alerts.
    expect(pauses(5120) - few).toBeGreaterThanOrEqual(9 * 20)
  })

  test('whose configuration changed meanwhile sends nothing', async () => {
    const hook = await startHook()
    closers.push(() => hook.stop())
    const config = configText(`webhook_configs: [{ url: '${hook.url}' }]`)
    const { pipeline } = await memoryNotify({ clock: { nowMs: () => START_MS }, config, timeoutMs: 5000 })
    const alerts = alertsOf(30_000)
    const cycle = pipeline.cycle(alerts, START_MS)
    await pipeline.use(configOf(WEBHOOK))
    await cycle
    await pipeline.deliver(START_MS)
    expect(hook.got).toEqual([])
    expect(pipeline.hasSeen(alerts[0]!.fingerprint)).toBe(false)
  })
})

describe('a message', () => {
  test.each([
    [MESSAGE_ALERTS_MAX, 0],
    [MESSAGE_ALERTS_MAX + 1, 1],
  ])('of a group of %i alerts leaves out %i', (count, truncatedAlerts) => {
    const { notifications } = atOnce(runStages(stateOf(WEBHOOK), alertsOf(count), START_MS))
    expect(notifications.map(({ message }) => message.truncatedAlerts)).toEqual([truncatedAlerts])
    expect(notifications[0]!.message.alerts).toHaveLength(MESSAGE_ALERTS_MAX)
    expect(notifications[0]!.logEntry.firing).toHaveLength(count)
  })

  test.each([
    [TEMPLATE_ALERTS_MAX, 0],
    [TEMPLATE_ALERTS_MAX + 1, 1],
  ])('that a template makes, of a group of %i alerts, leaves out %i', (count, truncatedAlerts) => {
    const slack = configText("slack_configs: [{ api_url: 'http://127.0.0.1:1/', channel: c }]")
    const { notifications } = atOnce(runStages(stateOf(slack), alertsOf(count), START_MS))
    expect(notifications.map(({ message }) => message.truncatedAlerts)).toEqual([truncatedAlerts])
    expect(notifications[0]!.message.alerts).toHaveLength(TEMPLATE_ALERTS_MAX)
  })

  test.each([
    [2000, [2000]],
    [4001, [2000, 2000, 1]],
    [MESSAGE_ALERTS_MAX + 1, [2000, 2000, 2000, 2000, 2000, 1]],
  ])('to an Alertmanager has all %i of them, in requests of %j', async (count, wanted) => {
    const hook = await startHook()
    closers.push(() => hook.stop())
    const config = configText(`alertmanager_configs: [{ urls: ['${hook.url}'] }]`)
    const { pipeline, deliveries } = await memoryNotify({ clock: { nowMs: () => START_MS }, config, timeoutMs: 5000 })
    await pipeline.cycle(alertsOf(count), START_MS)
    await pipeline.deliver(START_MS)
    const sizes = hook.got.map(({ body }) => (JSON.parse(body) as unknown[]).length)
    expect(sizes).toEqual(wanted)
    expect(deliveries).toMatchObject([{ outcome: 'delivered' }])
  })

  test('to an Alertmanager that refuses a part ends there', async () => {
    const hook = await startHook()
    closers.push(() => hook.stop())
    const config = configText(`alertmanager_configs: [{ urls: ['${hook.url}'] }]`)
    const { pipeline, deliveries } = await memoryNotify({ clock: { nowMs: () => START_MS }, config, timeoutMs: 5000 })
    await pipeline.cycle(alertsOf(4001), START_MS)
    hook.answer = [{}, { status: 500 }]
    await pipeline.deliver(START_MS)
    expect(hook.got).toHaveLength(2)
    expect(deliveries).toMatchObject([{ outcome: 'failed', status: 500 }])
  })
})

test('of many alerts that inhibit one, ten are named', () => {
  const matchers = (value: string) => [{ name: 'alertname', op: '=' as const, value }]
  const inhibitor = new Inhibitor([{ sourceMatchers: matchers('S'), targetMatchers: matchers('T'), equal: [] }])
  for (let i = 0; i < 1000; i++) inhibitor.add(`${i}`, Labels.of({ alertname: 'S', n: String(i) }))
  expect(inhibitor.inhibitedBy(Labels.of({ alertname: 'T' }))).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
  ])
})

test('alerts are sorted by the number of labels, then by the first that differs, absent before present', () => {
  const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y', 'z')).map((record) => ({
    labels: Labels.of(record),
  }))
  const expected = (a: Labels, b: Labels): number => {
    if (a.size !== b.size) return a.size - b.size
    for (const name of ['a', 'b', 'c', 'd']) {
      const [x, y] = [a.get(name), b.get(name)]
      if (x !== y) return x === '' ? -1 : y === '' ? 1 : x < y ? -1 : 1
    }
    return 0
  }
  fc.assert(
    fc.property(labels, labels, (a, b) => {
      expect(Math.sign(compareByLabels(a, b))).toBe(Math.sign(expected(a.labels, b.labels)))
    }),
  )
})
