import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, createAlertmanagerNotifier } from '../../src/notify/alertmanager.ts'
import type { AlertmanagerOptions } from '../../src/notify/alertmanager.ts'
import { DELIVERIES_MAX } from '../../src/notify/delivery-log.ts'
import type { PostRequest, PostResult } from '../../src/notify/http-post.ts'
import type { PostableAlert } from '../../src/notify/notification.ts'
import { T0, firing, pending, resolved } from './alerts.ts'

const OK: PostResult = { status: 200, text: '', latencyMs: 3 }

/** A receiver that keeps what it was sent and answers what it is told to. */
function receiver(answer: (request: PostRequest) => PostResult | Promise<PostResult> = () => OK) {
  const requests: PostRequest[] = []
  return {
    requests,
    alerts: (i: number) => JSON.parse(requests[i]!.body) as PostableAlert[],
    post: async (request: PostRequest): Promise<PostResult> => {
      requests.push(request)
      return answer(request)
    },
  }
}

function notifier(post: AlertmanagerOptions['post'], over: Partial<AlertmanagerOptions> = {}) {
  return createAlertmanagerNotifier({
    urls: ['http://am:9093'],
    post,
    externalUrl: 'https://daytwo.example/',
    ...over,
  })
}

describe('what is sent', () => {
  test('a firing alert, with the time after which nobody need believe it', async () => {
    const am = receiver()
    const notify = notifier(am.post, { externalLabels: { region: 'eu', cluster: 'not this one' } })
    notify.offer([firing('HCOInstallationIncomplete')], T0)
    await notify.deliver(T0)
    expect(am.requests[0]).toMatchObject({
      url: 'http://am:9093/api/v2/alerts',
      headers: { 'content-type': 'application/json' },
    })
    expect(am.alerts(0)).toEqual([
      {
        labels: { alertname: 'HCOInstallationIncomplete', cluster: 'c1', severity: 'critical', region: 'eu' },
        annotations: { summary: 'HCOInstallationIncomplete is wrong' },
        startsAt: '2026-08-20T10:00:00.000Z',
        endsAt: '2026-08-20T10:04:00.000Z',
        generatorURL: 'https://daytwo.example/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
      },
    ])
  })

  test('the end is four beats away, the slower of group and repetition', async () => {
    const am = receiver()
    const notify = notifier(am.post)
    notify.offer([firing('A', { rule: { expr: 'x', intervalMs: 300_000 } })], T0)
    await notify.deliver(T0)
    expect(am.alerts(0)[0]!.endsAt).toBe('2026-08-20T10:20:00.000Z')
  })

  test('a resolved alert ends when it resolved', async () => {
    const am = receiver()
    const notify = notifier(am.post)
    notify.offer([resolved('A', T0 + 5000)], T0 + 6000)
    await notify.deliver(T0 + 6000)
    expect(am.alerts(0)[0]!.endsAt).toBe('2026-08-20T10:00:05.000Z')
  })

  test('a pending alert never, and an empty queue sends nothing', async () => {
    const am = receiver()
    const notify = notifier(am.post)
    expect(notify.offer([pending('A')], T0)).toMatchObject([{ sends: false, reason: 'pending' }])
    await notify.deliver(T0)
    expect(am.requests).toEqual([])
  })

  test('a whole life: first, repeated each minute, resolved, repeated for 15 minutes, then silence', async () => {
    const am = receiver()
    const notify = notifier(am.post)
    const timeline: string[] = []
    for (let second = 0; second <= 20 * 60; second += 30) {
      const nowMs = T0 + second * 1000
      const alert = second < 120 ? firing('A') : resolved('A', T0 + 120_000)
      const [decision] = notify.offer([alert], nowMs)
      const sent = await notify.deliver(nowMs)
      if (sent.length > 0) timeline.push(`${second}s ${decision!.reason}`)
    }
    expect(timeline).toEqual([
      '0s first',
      '60s resend_due',
      '120s resolved',
      ...Array.from({ length: 15 }, (_, i) => `${180 + i * 60}s resend_due`),
    ])
  })

  test('a large fleet in batches of 256', async () => {
    const am = receiver()
    const notify = notifier(am.post)
    notify.offer(
      Array.from({ length: 600 }, (_, i) => firing(`A${i}`)),
      T0,
    )
    const sent = await notify.deliver(T0)
    expect(sent.map(({ count, reasons }) => [count, reasons])).toEqual([
      [256, { first: 256 }],
      [256, { first: 256 }],
      [88, { first: 88 }],
    ])
  })

  test('an alert that is gone is forgotten, and a first when it comes back', () => {
    const notify = notifier(receiver().post)
    notify.offer([firing('A')], T0)
    notify.offer([], T0 + 1000)
    expect(notify.offer([firing('A')], T0 + 2000)).toMatchObject([{ reason: 'first' }])
  })

  test('two alerts with the same labels are told once, and the other one says why not', () => {
    const notify = notifier(receiver().post)
    const decisions = notify.offer([resolved('A', T0), firing('A')], T0)
    expect(decisions.map(({ reason }) => reason)).toEqual(['same_labels', 'first'])
    const again = notify.offer([resolved('A', T0), firing('A')], T0 + 1000)
    expect(again.map(({ reason }) => reason)).toEqual(['same_labels', 'nothing_new'])
  })
})

describe('a receiver in trouble', () => {
  test.each([
    [{ status: undefined, text: 'connect ECONNREFUSED', latencyMs: 1 }, 'failed'],
    [{ status: 503, text: 'starting', latencyMs: 1 }, 'failed'],
    [{ status: 429, text: 'slow down', latencyMs: 1 }, 'failed'],
    [{ status: 400, text: '"bad label"', latencyMs: 1 }, 'refused'],
    [{ status: 302, text: '', latencyMs: 1 }, 'refused'],
  ] as const)('%j is %s', async (answer, outcome) => {
    const am = receiver(() => answer)
    const notify = notifier(am.post)
    notify.offer([firing('A')], T0)
    const [delivery] = await notify.deliver(T0)
    expect(delivery).toMatchObject({ outcome, error: answer.text, count: 1, latencyMs: 1, attempt: 1 })
    expect(notify.receivers()[0]!.waiting).toBe(outcome === 'failed' ? 1 : 0)
  })

  test('is tried again after 1 s, 2 s, 4 s, up to a minute, and then gets what is true now', async () => {
    let isDown = true
    const am = receiver(() => (isDown ? { status: 500, text: 'no', latencyMs: 1 } : OK))
    const notify = notifier(am.post)
    notify.offer([firing('A')], T0)
    const attempts: number[] = []
    for (let second = 0; second < 200; second++) {
      const sent = await notify.deliver(T0 + second * 1000)
      if (sent.length > 0) attempts.push(second)
    }
    expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183])
    expect(BACKOFF_FIRST_MS * 2 ** 6).toBeGreaterThan(BACKOFF_MAX_MS)

    // It resolves while nobody listens: one message, the last state, and the end as of the sending.
    isDown = false
    notify.offer([resolved('A', T0 + 200_000)], T0 + 240_000)
    const [delivery] = await notify.deliver(T0 + 243_000)
    expect(delivery).toMatchObject({ outcome: 'delivered', attempt: 10, reasons: { resolved: 1 } })
    expect(am.alerts(am.requests.length - 1).map(({ endsAt }) => endsAt)).toEqual(['2026-08-20T10:03:20.000Z'])
    expect(await notify.deliver(T0 + 244_000)).toEqual([])
  })

  test('a firing alert that waited is told with an end in the future', async () => {
    let isDown = true
    const am = receiver(() => (isDown ? { status: 500, text: 'no', latencyMs: 1 } : OK))
    const notify = notifier(am.post)
    notify.offer([firing('A')], T0)
    await notify.deliver(T0)
    isDown = false
    const late = T0 + 3_600_000
    notify.offer([firing('A')], late)
    await notify.deliver(late)
    expect(Date.parse(am.alerts(1)[0]!.endsAt)).toBe(late + 240_000)
  })

  test('its Retry-After is respected, within reason', async () => {
    const am = receiver(() => ({ status: 503, text: '', latencyMs: 1, retryAfterMs: 30_000 }))
    const notify = notifier(am.post)
    notify.offer([firing('A')], T0)
    expect((await notify.deliver(T0))[0]!.retryAtMs).toBe(T0 + 30_000)
    expect(await notify.deliver(T0 + 29_999)).toEqual([])
    expect(await notify.deliver(T0 + 30_000)).toHaveLength(1)
  })

  test('does not hold up another one', async () => {
    let answerSlow: (result: PostResult) => void = () => undefined
    const slow = new Promise<PostResult>((resolve) => {
      answerSlow = resolve
    })
    const am = receiver(({ url }) => (url.startsWith('http://slow') ? slow : OK))
    const notify = notifier(am.post, { urls: ['http://slow:1', 'http://quick:2/'] })
    notify.offer([firing('A')], T0)
    const first = notify.deliver(T0)
    await setImmediate()
    notify.offer([firing('A'), firing('B')], T0 + 1000)
    expect(await notify.deliver(T0 + 1000)).toMatchObject([
      { url: 'http://quick:2/api/v2/alerts', outcome: 'delivered' },
    ])
    answerSlow(OK)
    expect(await first).toHaveLength(2)
    // What came while it was busy is still there for it.
    expect(await notify.deliver(T0 + 2000)).toMatchObject([{ url: 'http://slow:1/api/v2/alerts', count: 1 }])
  })

  test('a full queue refuses, counts, and the alert is decided again', async () => {
    const am = receiver()
    const notify = notifier(am.post, { queueAlertsMax: 1 })
    expect(notify.offer([firing('A'), firing('B')], T0)).toMatchObject([{ refusedBy: 0 }, { refusedBy: 1 }])
    expect(notify.receivers()).toMatchObject([{ waiting: 1, refused: 1 }])
    await notify.deliver(T0)
    expect(notify.offer([firing('A'), firing('B')], T0 + 1)).toMatchObject([
      { reason: 'nothing_new' },
      { reason: 'first', refusedBy: 0 },
    ])
  })

  test('a clock that went back does not stop retries', async () => {
    const am = receiver(() => ({ status: 500, text: '', latencyMs: 1 }))
    const notify = notifier(am.post)
    notify.offer([firing('A')], T0)
    await notify.deliver(T0)
    expect(await notify.deliver(T0 - 86_400_000)).toHaveLength(1)
  })
})

describe('the delivery log', () => {
  test('keeps the last attempts, and no passwords', async () => {
    const am = receiver()
    const notify = notifier(am.post, { urls: ['http://me:secret@am:9093'], resendDelayMs: 1 })
    for (let i = 0; i < DELIVERIES_MAX * 2 + 10; i++) {
      notify.offer([firing('A')], T0 + i)
      await notify.deliver(T0 + i)
    }
    const log = notify.deliveries()
    expect(log).toHaveLength(DELIVERIES_MAX)
    expect(log.at(-1)).toEqual({
      atMs: T0 + DELIVERIES_MAX * 2 + 9,
      url: 'http://am:9093/api/v2/alerts',
      status: 200,
      outcome: 'delivered',
      latencyMs: 3,
      count: 1,
      reasons: { resend_due: 1 },
      attempt: 1,
    })
    expect(am.requests[0]!.url).toContain('me:secret@')
  })
})
