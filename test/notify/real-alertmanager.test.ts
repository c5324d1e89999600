import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fingerprintOf } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { HandOver } from '../../src/notify/hand-over.ts'
import { createHttpClient } from '../../src/notify/http-client.ts'
import { startAlertmanager } from '../support/alertmanager.ts'
import { requirePeer } from '../support/peers.ts'
import { firing } from './alerts.ts'
import { atOnce } from '../support/at-once.ts'

/** What Alertmanager's webhook receiver says of one group. */
interface WebhookMessage {
  readonly status: 'firing' | 'resolved'
  readonly alerts: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
    readonly fingerprint: string
    readonly generatorURL: string
  }[]
}

const http = createHttpClient({ nowMs: () => Date.now() })

test('a real Alertmanager pages for a firing alert and says when it is resolved', async (context) => {
  const program = requirePeer('prometheus-alertmanager', context)
  const webhook = await startWebhook()
  const url = await startAlertmanager(program, hookConfig(webhook.port))
  const notify = new HandOver({ urls: [url], http, externalUrl: 'http://daytwo.example' })

  const nowMs = Date.now()
  const alert = firing('KubeVirtCRModified', {
    labels: Labels.of({ alertname: 'KubeVirtCRModified', cluster: 'c1', component_name: 'kubevirt/kv "1"' }),
    activeAtMs: nowMs - 60_000,
    firedAtMs: nowMs - 1000,
  })
  const fingerprint = fingerprintOf(alert.labels)
  atOnce(notify.offer([{ ...alert, fingerprint }], nowMs))
  expect(await notify.deliver(nowMs)).toMatchObject([{ outcome: 'delivered', status: 200, reasons: { first: 1 } }])

  const fired = await webhook.next('firing')
  // Alertmanager finds the same fingerprint: a link from its page leads to our alert.
  expect(fired.alerts).toMatchObject([{ labels: alert.labels.toObject(), annotations: alert.annotations, fingerprint }])
  expect(fired.alerts[0]!.generatorURL).toBe('http://daytwo.example/graph?g0.expr=up+%3D%3D+0&g0.tab=1')

  const laterMs = Date.now()
  atOnce(notify.offer([{ ...alert, fingerprint, state: 'resolved', resolvedAtMs: laterMs }], laterMs))
  expect(await notify.deliver(laterMs)).toMatchObject([{ outcome: 'delivered', reasons: { resolved: 1 } }])
  expect((await webhook.next('resolved')).alerts).toMatchObject([{ fingerprint }])
})

test('a real Alertmanager keeps the good alerts of a message it refuses, and the refusal is told', async (context) => {
  const program = requirePeer('prometheus-alertmanager', context)
  const webhook = await startWebhook()
  const url = await startAlertmanager(program, hookConfig(webhook.port))
  const notify = new HandOver({ urls: [url], http, externalUrl: 'http://daytwo.example' })
  const nowMs = Date.now()
  const bad = firing('Bad', { labels: Labels.of({ alertname: 'Bad', 'no-such-name': 'x' }), fingerprint: 'bad' })
  atOnce(notify.offer([bad, firing('Good')], nowMs))
  const [delivery] = await notify.deliver(nowMs)
  expect(delivery).toMatchObject({ outcome: 'refused', status: 400, count: 2 })
  expect(delivery!.error).toContain('no-such-name')
  expect((await webhook.next('firing')).alerts.map(({ labels }) => labels['alertname'])).toEqual(['Good'])
})

async function startWebhook() {
  const messages: WebhookMessage[] = []
  let wake: () => void = () => undefined
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      response.end()
      messages.push(JSON.parse(body) as WebhookMessage)
      wake()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** The first message with this status; the test's own time limit ends the wait. */
    async next(status: WebhookMessage['status']): Promise<WebhookMessage> {
      for (;;) {
        const found = messages.find((message) => message.status === status)
        if (found !== undefined) return found
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

const hookConfig = (webhookPort: number): string => `
route: { receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
receivers:
  - name: hook
    webhook_configs: [{ url: 'http://127.0.0.1:${webhookPort}/', send_resolved: true }]
`
