import { expect, onTestFinished, test } from 'vitest'
import { fingerprintOf } from '../../src/model/alert.ts'
import type { PipelineAlert } from '../../src/notify/pipeline-state.ts'
import { startAlertmanager } from '../support/alertmanager.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import { memoryNotify } from '../support/notify.ts'
import { requirePeer } from '../support/peers.ts'
import { until } from '../support/until.ts'
import { labelsOf } from './timeline.ts'

/**
 * The same configuration and the same alerts here and in Debian's Alertmanager: the messages at a webhook are the same
 * but for the address of the server itself. Routes that continue, groups by every label, inhibition, old matchers,
 * receivers that want no resolutions or only the first alerts.
 */
const config = (url: string): string => `
route:
  receiver: rest
  group_by: [alertname]
  group_wait: 1s
  group_interval: 2s
  repeat_interval: 1h
  routes:
    - { matchers: ['severity="critical"'], receiver: pager-1, group_by: [cluster], continue: true }
    - { match_re: { alertname: 'HCO.*|SSP.*' }, receiver: hco, group_by: ['...'] }
    - { matchers: ['team=~"a|b"', 'region!="eu"'], receiver: few }
inhibit_rules:
  - { source_matchers: ['severity="critical"'], target_matchers: ['severity="warning"'], equal: [cluster, alertname] }
receivers:
  - { name: rest, webhook_configs: [{ url: '${url}/rest' }] }
  - { name: pager-1, webhook_configs: [{ url: '${url}/pager' }] }
  - { name: hco, webhook_configs: [{ url: '${url}/hco', send_resolved: false }] }
  - { name: few, webhook_configs: [{ url: '${url}/few', max_alerts: 2 }] }
`

const ALERTS = [
  'Plain cluster=east',
  'Plain cluster=west',
  'Loud severity=critical cluster=east',
  'Loud severity=warning cluster=east',
  'Loud severity=warning cluster=west',
  'HCOx severity=critical cluster=east component=a',
  'SSPy cluster=east',
  'Many team=a n=1 job=z',
  'Many team=a n=2 instance=b job=z',
  'Many team=b n=3 instance=a job=z',
  'Odd value="quoted\\\\" cluster=eä',
]
/** They end while the rest goes on. */
const ENDED = ['Plain cluster=east', 'Many team=a n=1 job=z']

interface Webhook {
  readonly receiver: string
  readonly groupKey: string
  readonly status: string
  readonly externalURL: string
  readonly alerts: readonly { readonly fingerprint: string }[]
}

function alertOf(text: string, startsAtMs: number, endedAtMs?: number): PipelineAlert {
  const labels = labelsOf(text)
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: { summary: `${labels.get('alertname')} is wrong`, same: 'for <all> & "everyone"' },
    state: endedAtMs === undefined ? 'firing' : 'resolved',
    activeAtMs: startsAtMs,
    firedAtMs: startsAtMs,
    ...(endedAtMs === undefined ? {} : { resolvedAtMs: endedAtMs }),
    lastHeldAtMs: startsAtMs,
    value: 1,
    generatorUrl: 'http://prometheus/graph?g0.expr=up',
  }
}

test('a webhook hears the same from both', { timeout: 90_000 }, async (context) => {
  const program = requirePeer('prometheus-alertmanager', context)
  const [ours, theirs] = [await startHook(), await startHook()]
  onTestFinished(async () => {
    await Promise.all([ours.stop(), theirs.stop()])
  })
  const url = await startAlertmanager(program, config(theirs.url))
  const startsAtMs = Date.now()
  const first = ALERTS.map((text) => alertOf(text, startsAtMs))
  await post(url, first, startsAtMs + 600_000)
  await until('the first messages', () => (theirs.got.length >= 7 ? true : undefined), 20_000)
  // Those that have a group to themselves there have one here: as many messages, and no more.
  const endedAtMs = Date.now()
  const second = first.map((alert) =>
    ENDED.includes(textOf(alert)) ? alertOf(textOf(alert), startsAtMs, endedAtMs) : alert,
  )
  await post(url, second, startsAtMs + 600_000)
  await until('the ends', () => (theirs.got.length >= 9 ? true : undefined), 20_000)

  // Here the clock is the test's own.
  let nowMs = startsAtMs
  const { pipeline } = await memoryNotify({ clock: { nowMs: () => nowMs }, config: config(ours.url) })
  const beat = async (alerts: readonly PipelineAlert[], laterMs: number): Promise<void> => {
    nowMs += laterMs
    await pipeline.cycle(alerts, nowMs)
    await pipeline.deliver(nowMs)
  }
  await beat(first, 10)
  await beat(first, 1000)
  nowMs = endedAtMs
  for (let i = 0; i < 6; i++) await beat(second, 1000)

  expect(messagesOf(ours)).toEqual(messagesOf(theirs))
  expect(messagesOf(ours)).toHaveLength(9)
})

function textOf(alert: PipelineAlert): string {
  return ALERTS.find((text) => fingerprintOf(labelsOf(text)) === alert.fingerprint) ?? ''
}

/** By place and group, in order; without the address of the server itself, which is no server's to choose. */
function messagesOf(hook: HookServer): readonly unknown[] {
  return hook.got
    .map(({ path, body }, i) => ({ path, i, message: JSON.parse(body) as Webhook }))
    .sort((a, b) => compare(a.path + a.message.groupKey, b.path + b.message.groupKey) || a.i - b.i)
    .map(({ path, message }) => ({ path, ...message, externalURL: 'here' }))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

async function post(url: string, alerts: readonly PipelineAlert[], endMs: number): Promise<void> {
  const body = alerts.map(({ labels, annotations, activeAtMs, resolvedAtMs, generatorUrl }) => ({
    labels: labels.toObject(),
    annotations,
    startsAt: new Date(activeAtMs).toISOString(),
    endsAt: new Date(resolvedAtMs ?? endMs).toISOString(),
    generatorURL: generatorUrl,
  }))
  const answer = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(200)
}
