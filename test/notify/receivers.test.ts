import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveryRecord } from '../../src/model/delivery.ts'
import { dedupKeyOf } from '../../src/notify/receivers/pagerduty.ts'
import type { PipelineAlert } from '../../src/notify/pipeline-state.ts'
import { makeCertificate, type TestCertificate } from '../support/certificate.ts'
import { startHook, type HookServer } from '../support/hook-server.ts'
import { memoryNotify, type MemoryNotify } from '../support/notify.ts'
import { startSmtp, type SmtpServer } from '../support/smtp-server.ts'
import { START_MS, alertOf } from './timeline.ts'

const SECRET = 'sEcReT-0123456789'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})
const hookServer = async (tls?: TestCertificate): Promise<HookServer> => {
  const hook = await startHook(tls)
  stops.push(() => hook.stop())
  return hook
}
const smtpServer = async (options: Parameters<typeof startSmtp>[0]): Promise<SmtpServer> => {
  const smtp = await startSmtp(options)
  stops.push(() => smtp.stop())
  return smtp
}

function alert(text: string, over: Partial<PipelineAlert> = {}): PipelineAlert {
  return {
    ...alertOf(text, 'firing', START_MS),
    annotations: { summary: 'the CR was changed <by hand>', runbook_url: 'http://daytwo.test/rb/KubeVirtCRModified' },
    value: 0.95,
    threshold: '> 0.9',
    ...over,
  }
}

const EAST = alert('KubeVirtCRModified severity=warning cluster=east')

/** Everything due is decided and sent at one time; answers what happened. */
class Told {
  nowMs = START_MS
  readonly notify: MemoryNotify

  constructor(notify: MemoryNotify) {
    this.notify = notify
  }

  async tell(alerts: readonly PipelineAlert[], laterMs = 0): Promise<readonly DeliveryRecord[]> {
    const before = this.notify.deliveries.length
    this.nowMs += laterMs
    await this.notify.pipeline.cycle(alerts, this.nowMs)
    await this.notify.pipeline.deliver(this.nowMs)
    return this.notify.deliveries.slice(before)
  }
}

async function told(receiver: string, global = '', timeoutMs = 5000): Promise<Told> {
  const config = `
${global}
route: { receiver: r, group_by: [alertname], group_wait: 0s, group_interval: 1m }
receivers:
  - name: r
${receiver
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`
  const made: { told?: Told } = {}
  const notify = await memoryNotify({ clock: { nowMs: () => made.told?.nowMs ?? START_MS }, config, timeoutMs })
  return (made.told = new Told(notify))
}

const bodyOf = (hook: HookServer, i = 0): Record<string, unknown> =>
  JSON.parse(hook.got[i]?.body ?? 'null') as Record<string, unknown>

describe('webhook', () => {
  test('version 4, firing and resolved', async () => {
    const hook = await hookServer()
    const line = await told(`webhook_configs: [{ url: '${hook.url}/hook' }]`)
    const [delivery] = await line.tell([EAST])
    expect(delivery).toMatchObject({ outcome: 'delivered', status: 200, attempt: 1, reason: 'first', receiver: 'r' })
    expect(bodyOf(hook)).toEqual({
      receiver: 'r',
      status: 'firing',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'KubeVirtCRModified', severity: 'warning', cluster: 'east' },
          annotations: EAST.annotations,
          startsAt: '2026-03-02T10:00:00Z',
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: 'http://daytwo/graph',
          fingerprint: EAST.fingerprint,
        },
      ],
      groupLabels: { alertname: 'KubeVirtCRModified' },
      commonLabels: { alertname: 'KubeVirtCRModified', severity: 'warning', cluster: 'east' },
      commonAnnotations: EAST.annotations,
      externalURL: 'http://daytwo.test',
      version: '4',
      groupKey: '{}:{alertname="KubeVirtCRModified"}',
      truncatedAlerts: 0,
    })
    await line.tell([{ ...EAST, state: 'resolved', resolvedAtMs: START_MS + 61_500 }], 62_000)
    expect(bodyOf(hook, 1)).toMatchObject({
      status: 'resolved',
      alerts: [{ status: 'resolved', endsAt: '2026-03-02T10:01:01.5Z' }],
    })
    expect(hook.got[0]?.headers).toMatchObject({ 'content-type': 'application/json' })
  })

  test('at most so many alerts, and how many are missing', async () => {
    const hook = await hookServer()
    const line = await told(`webhook_configs: [{ url: '${hook.url}', max_alerts: 2 }]`)
    await line.tell(['1', '2', '3', '4', '5'].map((n) => alert(`A n=${n}`)))
    expect(bodyOf(hook)).toMatchObject({ truncatedAlerts: 3, alerts: [{ labels: { n: '1' } }, { labels: { n: '2' } }] })
  })

  test('503 is tried again, later each time; the message stays the same', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 503, body: 'not now' }, { status: 503 }, {}]
    const line = await told(`webhook_configs: [{ url: '${hook.url}' }]`)
    expect(await line.tell([EAST])).toMatchObject([
      { outcome: 'failed', status: 503, error: 'not now', attempt: 1, retryAtMs: START_MS + 1000 },
    ])
    expect(await line.tell([EAST], 500)).toEqual([])
    expect(await line.tell([EAST], 500)).toMatchObject([{ attempt: 2, outcome: 'failed', retryAtMs: START_MS + 3000 }])
    expect(line.notify.pipeline.health()).toMatchObject([
      { name: 'r', integrations: [{ integration: 'webhook', waiting: 1, failuresInARow: 2 }] },
    ])
    expect(await line.tell([EAST], 2000)).toMatchObject([{ attempt: 3, outcome: 'delivered', reason: 'first' }])
    expect(new Set(hook.got.map(({ body }) => body)).size).toBe(1)
    expect(line.notify.pipeline.health()[0]?.integrations[0]).toMatchObject({ waiting: 0, failuresInARow: 0 })
  })

  test('a receiver says when to come back', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 429, headers: { 'retry-after': '20' } }, {}]
    const line = await told(`webhook_configs: [{ url: '${hook.url}' }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'failed', retryAtMs: START_MS + 20_000 }])
    expect(await line.tell([EAST], 19_000)).toEqual([])
    expect(await line.tell([EAST], 1000)).toMatchObject([{ outcome: 'delivered' }])
  })

  test('400 is for good, until the group comes round again', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 400, body: 'no such room' }]
    const line = await told(`webhook_configs: [{ url: '${hook.url}' }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'refused', status: 400, answer: 'no such room' }])
    expect(await line.tell([EAST], 30_000)).toEqual([])
    expect(await line.tell([EAST], 30_000)).toMatchObject([{ outcome: 'refused', reason: 'first', attempt: 1 }])
  })

  test('no answer within the time limit, and nobody there', async () => {
    const hook = await hookServer()
    hook.answer = [{ isSilent: true }]
    const line = await told(`webhook_configs: [{ url: '${hook.url}', timeout: 0.05s }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'failed', error: 'no answer within 0.05 s' }])
    await hook.stop()
    const [refused] = await line.tell([EAST], 1000)
    expect(refused?.error).toMatch(/ECONNREFUSED/)
    expect(refused?.status).toBeUndefined()
  })

  test('what nobody needs any more is given up, and its group decides anew', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 500 }]
    const line = await told(`webhook_configs: [{ url: '${hook.url}' }]`)
    await line.tell([EAST])
    hook.answer = [{}]
    expect(await line.tell([EAST, alert('KubeVirtCRModified cluster=west')], 120_000)).toEqual([])
    expect(await line.tell([EAST, alert('KubeVirtCRModified cluster=west')], 1000)).toMatchObject([
      { outcome: 'delivered', attempt: 1, reason: 'first' },
    ])
    expect(bodyOf(hook, 1)['alerts']).toHaveLength(2)
  })

  test('basic authentication, a bearer, and not to another host', async () => {
    const [hook, other] = [await hookServer(), await hookServer()]
    const basic = await told(
      `webhook_configs: [{ url: '${hook.url}', http_config: { basic_auth: { username: me, password: ${SECRET} } } }]`,
    )
    await basic.tell([EAST])
    expect(hook.got[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`)
    const bearer = await told(
      `webhook_configs: [{ url: '${hook.url}', http_config: { authorization: { credentials: ${SECRET} } } }]`,
    )
    hook.answer = [{ status: 307, headers: { location: `${other.url}/moved` } }]
    expect(await bearer.tell([EAST])).toMatchObject([{ outcome: 'delivered' }])
    expect(hook.got[1]?.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(other.got).toMatchObject([{ method: 'POST', path: '/moved' }])
    expect(other.got[0]?.headers.authorization).toBeUndefined()
  })

  test('a redirect is not followed when the file says so', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 302, headers: { location: '/elsewhere' } }]
    const line = await told(`webhook_configs: [{ url: '${hook.url}', http_config: { follow_redirects: false } }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'refused', status: 302 }])
    hook.answer = [{ status: 302, headers: { location: '/' } }]
    const loop = await told(`webhook_configs: [{ url: '${hook.url}' }]`)
    expect(await loop.tell([EAST])).toMatchObject([{ outcome: 'failed', error: 'stopped after 10 redirects' }])
  })
})

test('many messages to one receiver go eight at a time, all of them at once asked for', async () => {
  const hook = await hookServer()
  const config = `
route: { receiver: r, group_by: ['...'], group_wait: 0s }
receivers: [{ name: r, webhook_configs: [{ url: '${hook.url}' }] }]
`
  const line = new Told(await memoryNotify({ clock: { nowMs: () => START_MS }, config }))
  const alerts = Array.from({ length: 100 }, (_, i) => alert(`A n=${i}`))
  expect(await line.tell(alerts)).toHaveLength(100)
  expect(new Set(hook.got.map(({ body }) => body)).size).toBe(100)
})

describe('certificates', () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-tls-'))
  let certificate: TestCertificate
  beforeAll(() => {
    certificate = makeCertificate()
    writeFileSync(join(dir, 'ca.pem'), certificate.cert)
  })
  afterAll(() => {
    rmSync(dir, { recursive: true })
  })

  test.each([
    ['unknown', '', 'failed'],
    ['trusted by a file', 'tls_config: { ca_file: CA }', 'delivered'],
    ['trusted by a file, for another name', 'tls_config: { ca_file: CA, server_name: elsewhere.test }', 'failed'],
    ['not looked at', 'tls_config: { insecure_skip_verify: true }', 'delivered'],
  ])('%s: %s', async (_, tls, outcome) => {
    const hook = await hookServer(certificate)
    const http = tls === '' ? '' : `, http_config: { ${tls.replace('CA', join(dir, 'ca.pem'))} }`
    const line = await told(`webhook_configs: [{ url: '${hook.url}'${http} }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome }])
  })
})

describe('slack', () => {
  test('the default message says what, where, how much, and where to click', async () => {
    const hook = await hookServer()
    hook.answer = [{ body: 'ok' }]
    const line = await told(`slack_configs: [{ api_url: '${hook.url}/services/${SECRET}', channel: '#alerts' }]`)
    const [delivery] = await line.tell([EAST])
    expect(delivery).toMatchObject({ outcome: 'delivered', integration: 'slack' })
    const body = bodyOf(hook)
    expect(body).toMatchObject({ channel: '#alerts', username: 'Daytwo' })
    const [attachment] = body['attachments'] as readonly Record<string, string>[]
    expect(attachment).toMatchObject({
      title: '[FIRING:1] KubeVirtCRModified on east (warning)',
      title_link: `http://daytwo.test/alerts/${EAST.fingerprint}`,
      color: 'warning',
      mrkdwn_in: ['fallback', 'pretext', 'text'],
    })
    expect(attachment?.['text']).toMatchInlineSnapshot(`
      "*KubeVirtCRModified* on east: the CR was changed <by hand>
      value 0.95 (fires > 0.9)
      <http://daytwo.test/rb/KubeVirtCRModified|runbook> · <http://daytwo.test/alerts/4792974491e11f84?do=acknowledge|acknowledge> · <http://daytwo.test/alerts/4792974491e11f84?do=silence|silence>
      "
    `)
  })

  test('fields, actions and colours of the file', async () => {
    const hook = await hookServer()
    hook.answer = [{ body: 'ok' }]
    const line = await told(`
slack_configs:
  - api_url: '${hook.url}/x'
    send_resolved: true
    title: '{{ .GroupLabels.SortedPairs.Values | join "+" | toUpper }}'
    text: '{{ range .Alerts }}{{ .Labels.cluster | title }} {{ .StartsAt | tz "Europe/Prague" | date "15:04 MST" }}{{ end }}'
    color: '{{ if eq .Status "firing" }}#ff0000{{ else }}good{{ end }}'
    short_fields: true
    fields: [{ title: cluster, value: '{{ .CommonLabels.cluster }}' }, { title: b, value: c, short: false }]
    actions:
      - { type: button, text: Runbook, url: 'http://rb', name: dropped }
      - { type: button, text: Ack, name: ack, value: '1', confirm: { text: sure, ok_text: Yes } }
`)
    await line.tell([EAST])
    expect(bodyOf(hook)['attachments']).toMatchObject([
      {
        title: 'KUBEVIRTCRMODIFIED',
        text: expect.stringMatching(/^East 11:00 (CET|GMT\+1|\+0100)$/) as string,
        color: '#ff0000',
        fields: [
          { title: 'cluster', value: 'east', short: true },
          { title: 'b', value: 'c', short: false },
        ],
        actions: [
          { type: 'button', text: 'Runbook', url: 'http://rb' },
          { type: 'button', text: 'Ack', name: 'ack', value: '1', confirm: { text: 'sure', ok_text: 'Yes' } },
        ],
      },
    ])
    await line.tell([{ ...EAST, state: 'resolved', resolvedAtMs: START_MS }], 60_000)
    expect(bodyOf(hook, 1)['attachments']).toMatchObject([{ color: 'good' }])
  })

  const json = { 'content-type': 'application/json' }
  test.each([
    [{ body: 'ok' }, 'delivered'],
    [{ body: 'invalid_payload' }, 'refused'],
    [{ body: '{"ok":true}', headers: json }, 'delivered'],
    [{ body: '{"ok":false,"error":"channel_not_found"}', headers: json }, 'refused'],
    [{ body: '{"ok":false,"error":"ratelimited"}', headers: json }, 'failed'],
    [{ body: 'no json', headers: json }, 'failed'],
    [{ status: 404, body: 'no_service' }, 'refused'],
    [{ status: 429 }, 'failed'],
  ] as const)('what it answers decides: %j', async (answer, outcome) => {
    const hook = await hookServer()
    hook.answer = [answer]
    const line = await told(`slack_configs: [{ api_url: '${hook.url}/x', channel: a }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome }])
  })

  test('a template that fails is told, and nothing is sent', async () => {
    const hook = await hookServer()
    const line = await told(`slack_configs: [{ api_url: '${hook.url}/x', title: '{{ index .Alerts 7 }}' }]`)
    expect(await line.tell([EAST])).toMatchObject([
      { outcome: 'refused', error: expect.stringContaining('template failed') as string },
    ])
    expect(hook.got).toEqual([])
  })
})

describe('pagerduty', () => {
  test('an incident is opened and resolved under one key, which a restart does not change', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 202, body: '{"status":"success"}', headers: { 'content-type': 'application/json' } }]
    const line = await told(`
pagerduty_configs:
  - url: '${hook.url}/v2/enqueue'
    routing_key: ${SECRET}
    component: '{{ .CommonLabels.cluster }}'
    details: { region: eu, num_firing: 'as we say: {{ .Alerts.Firing | len }}' }
    images: [{ src: 'http://img', alt: graph }, { src: '' }]
`)
    const [delivery] = await line.tell([EAST])
    expect(delivery).toMatchObject({ outcome: 'delivered', status: 202, target: `${hook.url}/v2/enqueue` })
    const body = bodyOf(hook)
    const key = dedupKeyOf('{}:{alertname="KubeVirtCRModified"}')
    expect(body).toMatchObject({
      routing_key: SECRET,
      event_action: 'trigger',
      dedup_key: key,
      client: 'Daytwo',
      client_url: `http://daytwo.test/alerts/${EAST.fingerprint}`,
      payload: {
        summary: '[FIRING:1] KubeVirtCRModified on east (warning)',
        source: 'Daytwo',
        severity: 'warning',
        component: 'east',
        custom_details: { region: 'eu', num_firing: 'as we say: 1', num_resolved: '0', resolved: '' },
      },
      images: [{ src: 'http://img', alt: 'graph', href: '' }],
      links: [{ href: 'http://daytwo.test/rb/KubeVirtCRModified', text: 'Runbook' }],
    })
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    const after = new Told(await line.notify.restart())
    after.nowMs = START_MS + 60_000
    await after.tell([{ ...EAST, state: 'resolved', resolvedAtMs: START_MS }])
    expect(bodyOf(hook, 1)).toMatchObject({ event_action: 'resolve', dedup_key: key })
  })

  test('an event that is too long loses its details', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 202 }]
    const line = await told(`pagerduty_configs: [{ url: '${hook.url}', routing_key: ${SECRET} }]`)
    await line.tell(
      Array.from({ length: 600 }, (_, i) => alert(`A n=${i}`, { annotations: { summary: 'x'.repeat(1000) } })),
    )
    expect((bodyOf(hook)['payload'] as Record<string, unknown>)['custom_details']).toEqual({
      error: expect.stringContaining('left out') as string,
    })
  })
})

describe('microsoft teams', () => {
  test('a message card, and what its connector says', async () => {
    const hook = await hookServer()
    hook.answer = [
      { body: '1' },
      {
        body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
      },
    ]
    const line = await told(`msteams_configs: [{ webhook_url: '${hook.url}/webhookb2/${SECRET}' }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'delivered', integration: 'msteams' }])
    expect(bodyOf(hook)).toMatchObject({
      '@type': 'MessageCard',
      title: '[FIRING:1] KubeVirtCRModified on east (warning)',
      themeColor: 'c62828',
      text: expect.stringContaining('[Runbook](http://daytwo.test/rb/KubeVirtCRModified)') as string,
    })
    expect(await line.tell([EAST, alert('KubeVirtCRModified cluster=west')], 60_000)).toMatchObject([
      { outcome: 'failed' },
    ])
  })

  test('an adaptive card', async () => {
    const hook = await hookServer()
    hook.answer = [{ status: 202 }]
    const line = await told(`msteamsv2_configs: [{ webhook_url: '${hook.url}/x', title: 'T {{ .Status }}' }]`)
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'delivered', integration: 'msteamsv2' }])
    expect(bodyOf(hook)).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            type: 'AdaptiveCard',
            version: '1.2',
            body: [{ text: 'T firing', color: 'Attention' }, { wrap: true }],
          },
        },
      ],
    })
  })
})

describe('an Alertmanager as a receiver', () => {
  test('each address gets all alerts, with an end in the future, whatever becomes of the others', async () => {
    const [a, b] = [await hookServer(), await hookServer()]
    a.answer = [{ status: 500 }]
    const line = await told(`alertmanager_configs: [{ urls: ['${a.url}', '${b.url}/am/'] }]`)
    const deliveries = await line.tell([EAST])
    expect(deliveries.map(({ target, outcome }) => [target, outcome]).sort()).toEqual(
      [
        [`${a.url}/api/v2/alerts`, 'failed'],
        [`${b.url}/am/api/v2/alerts`, 'delivered'],
      ].sort(),
    )
    expect(JSON.parse(b.got[0]?.body ?? '')).toEqual([
      {
        labels: EAST.labels.toObject(),
        annotations: EAST.annotations,
        startsAt: '2026-03-02T10:00:00Z',
        endsAt: '2026-03-02T10:04:00Z',
        generatorURL: 'http://daytwo/graph',
      },
    ])
  })
})

describe('email', () => {
  const certificate = makeCertificate()
  const mail = (port: number, more = ''): string => `
email_configs:
  - to: 'On Call <oncall@example.test>, second@example.test'
    from: daytwo@example.test
    smarthost: 127.0.0.1:${port}
    ${more.trim().split('\n').join('\n    ')}
`
  test('over STARTTLS, with a login, as HTML with values escaped', async () => {
    const smtp = await smtpServer({ tls: certificate, users: { me: SECRET } })
    const line = await told(
      mail(smtp.port, `auth_username: me\nauth_password: ${SECRET}\ntls_config: { insecure_skip_verify: true }`),
    )
    const [delivery] = await line.tell([EAST])
    expect(delivery).toMatchObject({
      outcome: 'delivered',
      status: 250,
      integration: 'email',
      target: `smtp://127.0.0.1:${smtp.port}`,
    })
    const [got] = smtp.mails
    expect(got).toMatchObject({
      from: 'daytwo@example.test',
      to: ['oncall@example.test', 'second@example.test'],
      isEncrypted: true,
      login: 'PLAIN me',
    })
    expect(got?.text).toMatch(/^Subject: \[FIRING:1\] KubeVirtCRModified on east \(warning\)$/m)
    const html = got?.text.replace(/=\n/g, '').replaceAll('=3D', '=') ?? ''
    expect(html).toContain('the CR was changed &lt;by hand&gt;')
    expect(html).toContain('href="http://daytwo.test/rb/KubeVirtCRModified"')
    expect(html).toContain('Value: 0.95 (fires &gt; 0.9)')
  })

  test('headers and a text of the file; nothing is encrypted where the file says so', async () => {
    const smtp = await smtpServer({ tls: certificate })
    const line = await told(
      mail(
        smtp.port,
        `require_tls: false\nhello: my.host\ntext: 'plain {{ .Status }}'\nheaders: { subject: 'S {{ .Status }}', X-Team: virt }`,
      ),
    )
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'delivered' }])
    expect(smtp.mails[0]).toMatchObject({ isEncrypted: false })
    expect(smtp.mails[0]?.text).toMatch(/^Subject: S firing$/m)
    expect(smtp.mails[0]?.text).toMatch(/^X-Team: virt$/m)
    expect(smtp.mails[0]?.text).toContain('plain firing')
    expect(smtp.said[0]).toBe('EHLO my.host')
  })

  test('without STARTTLS nothing is sent where it is required', async () => {
    const smtp = await smtpServer({})
    const line = await told(mail(smtp.port))
    expect(await line.tell([EAST])).toMatchObject([{ outcome: expect.stringMatching(/failed|refused/) as string }])
    expect(smtp.mails).toEqual([])
    expect(smtp.said.join()).not.toContain('MAIL')
  })

  test('a certificate that is not trusted', async () => {
    const smtp = await smtpServer({ tls: certificate })
    const line = await told(mail(smtp.port))
    expect(await line.tell([EAST])).toMatchObject([
      { outcome: 'failed', error: expect.stringMatching(/certificate/) as string },
    ])
    expect(smtp.mails).toEqual([])
  })

  test.each([
    ['LOGIN', 'auth_password: PW', 'LOGIN me'],
    ['CRAM-MD5', 'auth_secret: PW', 'CRAM-MD5 me'],
    ['PLAIN', 'auth_password: PW\nauth_identity: boss', 'PLAIN boss as me'],
  ])('%s', async (mechanism, password, login) => {
    const smtp = await smtpServer({ users: { me: SECRET }, mechanisms: [mechanism] })
    const line = await told(mail(smtp.port, `require_tls: false\nauth_username: me\n${password.replace('PW', SECRET)}`))
    expect(await line.tell([EAST])).toMatchObject([{ outcome: 'delivered' }])
    expect(smtp.mails).toMatchObject([{ login }])
  })

  test('a wrong password, and who is not known, are for good; a full box is not', async () => {
    const wrong = await smtpServer({ users: { me: 'other' } })
    const login = await told(mail(wrong.port, `require_tls: false\nauth_username: me\nauth_password: ${SECRET}`))
    expect(await login.tell([EAST])).toMatchObject([{ outcome: 'refused', status: 535 }])
    const unknown = await smtpServer({ refusals: { RCPT: '550 no such person' } })
    const nobody = await told(mail(unknown.port, 'require_tls: false'))
    expect(await nobody.tell([EAST])).toMatchObject([{ outcome: 'refused', status: 550 }])
    const full = await smtpServer({ refusals: { RCPT: '452 try later' } })
    const later = await told(mail(full.port, 'require_tls: false'))
    expect(await later.tell([EAST])).toMatchObject([{ outcome: 'failed', status: 452 }])
  })

  test('no password over an open line to another machine', async () => {
    const line = await told(`
email_configs:
  - { to: a@b.c, from: d@e.f, smarthost: 'mail.example.test:25', require_tls: false, auth_username: me, auth_password: ${SECRET} }
`)
    expect(await line.tell([EAST])).toMatchObject([
      { outcome: 'refused', error: expect.stringMatching(/password was not sent/) as string },
    ])
  })
})

describe('secrets', () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-secrets-'))
  afterAll(() => {
    rmSync(dir, { recursive: true })
  })

  test('none is in what is kept, shown or said, whatever a receiver answers', async () => {
    const hook = await hookServer()
    const smtp = await smtpServer({ users: { me: `${SECRET}-mail` }, mechanisms: ['LOGIN'] })
    writeFileSync(join(dir, 'url'), `${hook.url}/from-a-file/${SECRET}\n`)
    hook.answer = [
      { status: 500, body: `cannot POST /services/${SECRET} with ${SECRET} and ${hook.url}/from-a-file/${SECRET}` },
    ]
    const line = await told(
      `
webhook_configs:
  - { url: '${hook.url}/hook/${SECRET}?token=${SECRET}', http_config: { basic_auth: { username: u, password: ${SECRET} } } }
  - { url_file: '${join(dir, 'url')}' }
slack_configs: [{ channel: c }]
pagerduty_configs: [{ url: '${hook.url}/pd', routing_key: ${SECRET} }]
msteams_configs: [{ webhook_url: '${hook.url}/teams/${SECRET}' }]
msteamsv2_configs: [{ webhook_url: '${hook.url}/teams2/${SECRET}' }]
email_configs: [{ to: a@b.c, require_tls: false }]
`,
      `global: { slack_api_url: '${hook.url}/services/${SECRET}', smtp_smarthost: '127.0.0.1:${smtp.port}', smtp_from: x@y.z, smtp_auth_username: me, smtp_auth_password: '${SECRET}-mail' }`,
    )
    await line.tell([EAST])
    expect(line.notify.deliveries).toHaveLength(7)
    expect(hook.got.filter(({ body, path }) => (body + path).includes(SECRET)).length).toBeGreaterThan(4)
    await line.notify.facts.deliveries.add(line.notify.deliveries)
    const { api, pipeline } = line.notify
    const kept = await Promise.all((await api.deliveries.list({ limit: 100 })).map(({ id }) => api.deliveries.get(id)))
    const shown = JSON.stringify([
      line.notify.deliveries,
      kept,
      pipeline.health(),
      pipeline.configText(),
      pipeline.route,
    ])
    expect(shown).toContain('<secret>')
    expect(shown).not.toContain(SECRET)
    expect(shown).not.toContain(encodeURIComponent(SECRET))
  })

  test('a secret in a file is read at each use, and its absence is told', async () => {
    const hook = await hookServer()
    const path = join(dir, 'changing')
    const line = await told(`webhook_configs: [{ url_file: '${path}' }]`)
    expect(await line.tell([EAST])).toMatchObject([
      { outcome: 'failed', error: expect.stringContaining('cannot read') as string },
    ])
    writeFileSync(path, `${hook.url}\n`)
    expect(await line.tell([EAST], 1000)).toMatchObject([{ outcome: 'delivered' }])
  })
})
