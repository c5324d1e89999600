import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RuleAlert } from '../../src/model/alert.ts'
import type { NotificationLogStore } from '../../src/model/notification-log.ts'
import { ruleAlert } from '../api/rule-alert.ts'
import { NOW_MS } from '../api/test-server.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import { memoryNotify } from '../support/notify.ts'
import { memoryPeople } from '../support/people.ts'
import { until } from '../support/until.ts'

// A cluster's own Prometheus and the rule over the fleet report the same thing: one page, told by real messages.

const MINUTE_MS = 60_000

let hook: HookServer
beforeEach(async () => {
  hook = await startHook()
})
afterEach(() => hook.stop())

/** Beats once a minute; a word for each alert in each message, `firing rule` or `resolved external`. */
async function timeline(
  minutes: number,
  ofRules: (minute: number) => readonly RuleAlert[],
  ofOthers: (minute: number) => boolean,
): Promise<string[]> {
  const clock = new FakeClock(NOW_MS)
  let minute = 0
  const { people } = await memoryPeople({ clock, ruleAlerts: () => ofRules(minute) })
  const config = `
route: { receiver: hook, group_by: ['...'], group_wait: 0s, group_interval: 1m, repeat_interval: 24h }
receivers: [{ name: hook, webhook_configs: [{ url: '${hook.url}' }] }]
`
  const { pipeline } = await memoryNotify({ clock, config, silences: people.silences })
  const words: string[] = []
  for (; minute < minutes; minute++) {
    clock.set(NOW_MS + minute * MINUTE_MS)
    const nowMs = clock.nowMs()
    if (ofOthers(minute)) {
      const labels = { alertname: 'A', cluster_id: 'c1', severity: 'warning', prometheus: 'monitoring/k8s', pod: 'p' }
      const posted = { labels, annotations: {}, generatorUrl: '', startsAtMs: NOW_MS - 60 * MINUTE_MS }
      await people.external.post([posted], { nowMs, resolveTimeoutMs: 1.5 * MINUTE_MS, sender: 'token a' })
    }
    await people.cycle(nowMs)
    const notified = await people.withoutDuplicates(people.alerts(nowMs))
    await pipeline.cycle(
      notified.map((alert) => ({ ...alert, generatorUrl: '' })),
      nowMs,
    )
    await pipeline.deliver(nowMs)
    for (const { body } of hook.got.slice(words.length)) {
      const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: Record<string, string> }[] }
      for (const { status, labels } of alerts) {
        words.push(`${minute}: ${status} ${labels['prometheus'] === undefined ? 'rule' : 'external'}`)
      }
    }
  }
  return words
}

/** Fires in [from, to), then is resolved. */
const rule =
  (from: number, to: number) =>
  (minute: number): readonly RuleAlert[] => {
    const times = { activeAtMs: NOW_MS + from * MINUTE_MS, firedAtMs: NOW_MS + from * MINUTE_MS }
    if (minute < from) return []
    if (minute < to) return [ruleAlert('A', 'c1', 'firing', times)]
    return [ruleAlert('A', 'c1', 'resolved', { ...times, resolvedAtMs: NOW_MS + to * MINUTE_MS })]
  }

describe('two reports of one thing page once', () => {
  test('when the rule is first, though the other began an hour ago', async () => {
    expect(await timeline(8, rule(0, 5), (minute) => minute >= 2 && minute < 4)).toEqual([
      '0: firing rule',
      '5: resolved rule',
    ])
  })

  test('when the other is first', async () => {
    expect(await timeline(10, rule(2, 4), (minute) => minute < 6)).toEqual([
      '0: firing external',
      '7: resolved external',
    ])
  })

  test('and whoever still sees it speaks when the first no longer does', async () => {
    expect(await timeline(12, rule(2, 9), (minute) => minute < 4)).toEqual([
      '0: firing external',
      '5: resolved external',
      '5: firing rule',
      '9: resolved rule',
    ])
  })
})

test('where several processes notify, a failed attempt ends the claim, and a delivery or a refusal does not', async () => {
  const config = `
route: { receiver: hook, group_wait: 0s }
receivers: [{ name: hook, webhook_configs: [{ url: '${hook.url}' }] }]
`
  const clock = new FakeClock(NOW_MS)
  const words: string[] = []
  const note = (word: string): void => {
    words.push(`${word} ${hook.got.length}`)
  }
  const claims = {
    claim: () => {
      note('claim')
      return Promise.resolve({ kind: 'claimed' } as const)
    },
    release: () => {
      note('release')
      return Promise.resolve()
    },
  }
  for (const last of [200, 400]) {
    const { pipeline } = await memoryNotify({ clock, config, claims })
    hook.answer = [{ status: 503 }, { status: last }]
    await pipeline.cycle([{ ...ruleAlert('A', 'c1', 'firing'), generatorUrl: '' }], clock.nowMs())
    await pipeline.deliver(clock.nowMs())
    clock.advance(MINUTE_MS)
    await pipeline.deliver(clock.nowMs())
  }
  expect(words).toEqual(['claim 0', 'release 1', 'claim 1', 'claim 2', 'release 3', 'claim 3'])
})

test('what was sent and could not be stored is stored later, so a restart does not repeat it', async () => {
  const config = `
route: { receiver: hook, group_wait: 0s }
receivers: [{ name: hook, webhook_configs: [{ url: '${hook.url}' }] }]
`
  const clock = new FakeClock(NOW_MS)
  const alerts = [{ ...ruleAlert('A', 'c1', 'firing'), generatorUrl: '' }]
  const { facts } = await memoryNotify({ clock })
  let isAway = true
  const notificationLog: NotificationLogStore = {
    load: () => facts.notificationLog.load(),
    prune: (beforeMs) => facts.notificationLog.prune(beforeMs),
    put: (entries) => (isAway ? Promise.reject(new Error('away')) : facts.notificationLog.put(entries)),
  }
  const first = await memoryNotify({ clock, config, facts, notificationLog })
  const { pipeline } = first
  await pipeline.cycle(alerts, NOW_MS)
  await expect(pipeline.deliver(NOW_MS)).rejects.toThrow('away')
  // Nothing else is held up.
  await pipeline.cycle(alerts, NOW_MS + 1000)
  await pipeline.deliver(NOW_MS + 1000)
  expect(await facts.notificationLog.load()).toEqual([])
  isAway = false
  await pipeline.cycle(alerts, NOW_MS + 2000)
  await pipeline.deliver(NOW_MS + 2000)
  expect(await facts.notificationLog.load()).toMatchObject([{ atMs: NOW_MS }])
  // Stored once.
  isAway = true
  await pipeline.cycle(alerts, NOW_MS + 3000)
  await pipeline.deliver(NOW_MS + 3000)
  const again = await first.restart()
  await again.pipeline.cycle(alerts, NOW_MS + 4000)
  await again.pipeline.deliver(NOW_MS + 4000)
  expect(hook.got).toHaveLength(1)
})

test('an entry that replaces another one while that is being stored is stored too', async () => {
  const config = `
route: { receiver: hook, group_wait: 0s, group_interval: 1s }
receivers: [{ name: hook, webhook_configs: [{ url: '${hook.url}' }] }]
`
  const clock = new FakeClock(NOW_MS)
  const { facts } = await memoryNotify({ clock })
  let storeFirst: () => void = () => undefined
  const puts: (() => Promise<void>)[] = [
    () => new Promise((resolve) => (storeFirst = resolve)),
    () => Promise.reject(new Error('away')),
  ]
  const notificationLog: NotificationLogStore = {
    load: () => facts.notificationLog.load(),
    prune: (beforeMs) => facts.notificationLog.prune(beforeMs),
    put: (entries) => (puts.shift() ?? (() => facts.notificationLog.put(entries)))(),
  }
  const { pipeline } = await memoryNotify({ clock, config, facts, notificationLog })
  const alertsOf = (state: 'firing' | 'resolved') => [
    {
      ...ruleAlert('A', 'c1', state, { activeAtMs: NOW_MS, firedAtMs: NOW_MS, resolvedAtMs: NOW_MS }),
      generatorUrl: '',
    },
  ]
  await pipeline.cycle(alertsOf('firing'), NOW_MS)
  const first = pipeline.deliver(NOW_MS)
  await until('the first entry to be stored', () => (puts.length === 1 ? true : undefined))
  await pipeline.cycle(alertsOf('resolved'), NOW_MS + 2000)
  await expect(pipeline.deliver(NOW_MS + 2000)).rejects.toThrow('away')
  storeFirst()
  await first
  await pipeline.deliver(NOW_MS + 3000)
  expect(await facts.notificationLog.load()).toMatchObject([{ atMs: NOW_MS + 2000, firing: [] }])
})
