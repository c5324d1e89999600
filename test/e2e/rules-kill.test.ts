import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeWebhook, type FakeWebhook, type WebhookMessage } from '../support/fake-webhook.ts'
import type { DeliveryItems } from '../../src/contract/deliveries.ts'
import { startFakeAlertmanager, type FakeAlertmanager, type ReceivedAlert } from '../support/fake-alertmanager.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { activeAlerts, startServer, withoutContent, type ActiveAlert, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// kill -9 while alerts wait and while they fire: the server as it ships, killed and started again on the same folder
// while a cluster goes on sending. What was waiting goes on waiting, and whoever is told is told the same thing again.

const RULES = `
groups:
  - name: g
    interval: 1s
    rules:
      - { alert: Waits, expr: broken == 1, for: 12s }
      - { alert: Fires, expr: broken > 0 }
`
const SEND_EVERY_MS = 250

interface Rig {
  readonly receiver: FakeAlertmanager
  readonly webhook: FakeWebhook
  /** By cluster; what a cluster says of itself until it says something else. */
  readonly values: Map<string, number>
  readonly server: RunningServer
  readonly start: () => Promise<void>
  readonly killAndStart: () => Promise<void>
  readonly untilState: (name: string, cluster: string, state: string) => Promise<ActiveAlert>
  readonly told: (name: string, cluster: string) => ReceivedAlert[]
}

/** A server of a test's own: the tests wait for real seconds, and do so at the same time. */
async function startRig(onTestFinished: (close: () => Promise<void>) => void): Promise<Rig> {
  const folder = tempDir('rules-kill')
  mkdirSync(join(folder.path, 'rules'))
  writeFileSync(join(folder.path, 'rules', 'rules.yaml'), RULES)
  const receiver = await startFakeAlertmanager()
  const webhook = await startFakeWebhook()
  writeFileSync(
    join(folder.path, 'notify.yaml'),
    `route: { receiver: hook, group_by: [alertname, cluster], group_wait: 1s, group_interval: 2s, repeat_interval: 1h }
receivers: [{ name: hook, webhook_configs: [{ url: '${webhook.url}', send_resolved: true }] }]
`,
  )
  const values = new Map<string, number>()
  let server: RunningServer | undefined
  const sending = setInterval(() => {
    const series = [...values].map(([cluster, value]) => ({
      labels: { __name__: 'broken', cluster },
      samples: [{ timeMs: Date.now(), value }],
    }))
    // While the server is down a sample is lost, as it would be in a scrape that nobody keeps.
    if (server !== undefined && series.length > 0) postWrite(server.url, writeBody(series)).catch(() => undefined)
  }, SEND_EVERY_MS)
  onTestFinished(async () => {
    clearInterval(sending)
    await server?.kill()
    await Promise.all([receiver.close(), webhook.close()])
    folder.remove()
  })
  const rig: Rig = {
    receiver,
    webhook,
    values,
    get server() {
      return server!
    },
    start: async () => {
      server = await startServer([
        ...['serve', '--listen', '127.0.0.1:0', '--data', join(folder.path, 'data')],
        ...withoutContent(join(folder.path, 'rules')),
        ...['--external.url', 'http://rules.example'],
        ...['--alertmanager', `http://${receiver.address}`, '--notify.config', join(folder.path, 'notify.yaml')],
      ])
    },
    killAndStart: async () => {
      await rig.server.kill()
      await rig.start()
    },
    untilState: (name, cluster, state) =>
      until(`${name} of ${cluster} to be ${state}`, async () => {
        const alerts = await activeAlerts(rig.server.url)
        return alerts.find(
          (alert) => alert.labels['alertname'] === name && alert.labels['cluster'] === cluster && alert.state === state,
        )
      }),
    told: (name, cluster) =>
      receiver.received.filter(({ labels }) => labels['alertname'] === name && labels['cluster'] === cluster),
  }
  await rig.start()
  return rig
}

/** By this life of the server. */
async function untilEvaluated({ server }: Rig): Promise<void> {
  const startedMs = Date.now()
  await until('the rules to be evaluated', async () => {
    const answer = await fetch(`${server.url}/api/v1/rules`)
    const { data } = (await answer.json()) as { data: { groups: readonly { lastEvaluation: string }[] } }
    return data.groups.every(({ lastEvaluation }) => Date.parse(lastEvaluation) > startedMs) ? true : undefined
  })
}

const isResolved = ({ endsAt, atMs }: ReceivedAlert): boolean => Date.parse(endsAt) <= atMs

/** What a receiver knows an alert by: its labels, and since when. */
const keyOf = ({ labels, startsAt }: ReceivedAlert): string => JSON.stringify([Object.entries(labels).sort(), startsAt])

describe.concurrent('kill -9', () => {
  test(
    'while an alert is pending: `for` goes on counting what was seen',
    { timeout: 180_000 },
    async ({ onTestFinished }) => {
      const rig = await startRig(onTestFinished)
      const { values, killAndStart, untilState, told } = rig
      values.set('a', 1)
      const pending = await untilState('Waits', 'a', 'pending')
      const seenMs = 5000
      await until('half of its time to pass', () =>
        Date.now() - Date.parse(pending.activeAt) > seenMs ? true : undefined,
      )
      await killAndStart()
      await untilEvaluated(rig)
      const goesOnMs = Date.now()
      const again = await untilState('Waits', 'a', 'pending')
      // Only the time in which nobody looked does not count.
      expect(Date.parse(again.activeAt)).toBeLessThan(goesOnMs - seenMs + 3000)
      expect(Date.parse(again.activeAt)).toBeGreaterThanOrEqual(Date.parse(pending.activeAt))
      const firing = await untilState('Waits', 'a', 'firing')
      expect(firing.activeAt).toBe(again.activeAt)
      await until('it to be told', () => (told('Waits', 'a').length > 0 ? true : undefined))
    },
  )

  test(
    'while alerts fire: none is lost, none is another one, and the end is told',
    { timeout: 180_000 },
    async ({ onTestFinished }) => {
      const rig = await startRig(onTestFinished)
      const { receiver, values, killAndStart, untilState, told } = rig
      values.set('a', 2)
      const { activeAt } = await untilState('Fires', 'a', 'firing')
      await until('it to be told', () => told('Fires', 'a')[0])
      await killAndStart()
      expect((await untilState('Fires', 'a', 'firing')).activeAt).toBe(activeAt)

      // Killed between an alert that fires and the telling: the receiver is not there yet.
      receiver.setReady(false)
      values.set('b', 2)
      await untilState('Fires', 'b', 'firing')
      await killAndStart()
      receiver.setReady(true)
      await until('b to be told after all', () => told('Fires', 'b')[0])

      // It ends while the server is down.
      await rig.server.kill()
      values.set('a', 0)
      await rig.start()
      await until('the end of a to be told', () => (told('Fires', 'a').some(isResolved) ? true : undefined))
      expect(told('Fires', 'b').some(isResolved)).toBe(false)

      // Told more than once, and always as the same alert.
      for (const cluster of ['a', 'b']) expect(new Set(told('Fires', cluster).map(keyOf)).size).toBe(1)
      const afterEnd = told('Fires', 'a').slice(told('Fires', 'a').findIndex(isResolved))
      expect(afterEnd.every(isResolved)).toBe(true)
    },
  )

  test(
    'a webhook hears of each alert once, and of its end, however often the server dies',
    { timeout: 180_000 },
    async ({ onTestFinished }) => {
      const rig = await startRig(onTestFinished)
      const { webhook, values, killAndStart } = rig
      const heard = (cluster: string, status: string): WebhookMessage[] =>
        webhook.messages.filter(({ body }) => body.commonLabels['cluster'] === cluster && body.status === status)
      const untilHeard = (cluster: string, status: string): Promise<WebhookMessage> =>
        until(`${cluster} to be told ${status}`, () => heard(cluster, status)[0])
      // That it was told is remembered; a server that dies before that tells it again, and rightly so.
      const untilKept = (cluster: string, wanted = 'delivered'): Promise<true> =>
        until(`an attempt about ${cluster} to be stored as ${wanted}`, async () => {
          const answer = await fetch(`${rig.server.url}/api/fleet/v1/deliveries`)
          const { deliveries } = (await answer.json()) as DeliveryItems
          const kept = deliveries.filter(({ integration, outcome }) => integration === 'webhook' && outcome === wanted)
          return kept.some(({ groupKey }) => groupKey.includes(`cluster="${cluster}"`)) ? true : undefined
        })
      values.set('a', 2)
      await untilHeard('a', 'firing')
      await untilKept('a')
      await killAndStart()

      // Fires while its receiver is not there, and then the server dies.
      webhook.setReady(false)
      values.set('b', 2)
      await untilKept('b', 'failed')
      await killAndStart()
      webhook.setReady(true)
      await untilHeard('b', 'firing')
      await untilKept('b')

      await rig.server.kill()
      values.set('a', 0)
      await rig.start()
      await untilHeard('a', 'resolved')

      // By now each group has been flushed many times over.
      expect(['a', 'b'].map((cluster) => heard(cluster, 'firing').length)).toEqual([1, 1])
      expect([heard('a', 'resolved').length, heard('b', 'resolved').length]).toEqual([1, 0])
      const [first, last] = [heard('a', 'firing')[0]!.body, heard('a', 'resolved')[0]!.body]
      const keyOfMessage = ({ groupKey, alerts }: WebhookMessage['body']) => {
        return { groupKey, alerts: alerts.map(({ fingerprint, startsAt }) => [fingerprint, startsAt]) }
      }
      expect(keyOfMessage(last)).toEqual(keyOfMessage(first))
    },
  )
})
