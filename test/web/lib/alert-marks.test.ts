import { describe, expect, test } from 'vitest'
import type { AlertMarks } from '../../../src/contract/alerts.ts'
import { NO_MARKS, isHeldBack, marksOf, reasonWords, deliverySentence } from '../../../src/web/lib/alert-marks.ts'

const marked = (part: Partial<AlertMarks>): { marks: AlertMarks } => ({ marks: { ...NO_MARKS, ...part } })

describe('marks', () => {
  test.each<[string, Partial<AlertMarks>, string, string]>([
    ['silence', { silencedBy: ['a', 'b'] }, 'silenced', '2 silences suppress its notifications'],
    [
      'acknowledgement',
      { acknowledged: { by: 'Eva', atMs: 1, note: 'on it' } },
      'acknowledged',
      'Acknowledged by Eva: “on it”',
    ],
    [
      'acknowledgement without a note',
      { acknowledged: { by: 'Eva', atMs: 1, note: '' } },
      'acknowledged',
      'Acknowledged by Eva: without a note',
    ],
    [
      'upgrade',
      {
        expected: { upgrade: 'u1', title: 'east from 1.16.0 to 1.17.0', phase: 'operands', reason: 'handlers restart' },
      },
      'expected',
      'Expected in the upgrade of east from 1.16.0 to 1.17.0, phase operands: handlers restart',
    ],
    ['time interval', { mutedBy: ['weekend'] }, 'muted', 'Muted by the time interval weekend'],
  ])('%s', (_what, part, word, reason) => {
    const marks = marksOf(marked(part))
    expect(marks.map((mark) => mark.word)).toEqual([word])
    expect(marks[0]?.reason).toContain(reason)
    expect(isHeldBack(marked(part))).toBe(true)
  })
  test('an external alert is marked, and not held back by it', () => {
    const alert = { source: 'external', generatorUrl: 'https://p/graph' } as const
    expect(marksOf(alert).map(({ reason }) => reason)).toEqual(['Sent by https://p/graph'])
    expect(isHeldBack({})).toBe(false)
  })
})

describe('was anybody told', () => {
  const to = (outcome: string, receiver = 'ops'): { outcome: string; receiver: string } => ({ outcome, receiver })
  test.each<
    [string, Partial<AlertMarks>, 'firing' | 'pending', { outcome: string; receiver: string }[], boolean, string]
  >([
    ['delivered', { receivers: ['ops'] }, 'firing', [to('failed'), to('delivered')], true, 'Delivered to ops.'],
    [
      'failed',
      { receivers: ['ops'] },
      'firing',
      [to('failed'), to('refused')],
      false,
      'Not delivered: ops could not be reached.',
    ],
    ['no receiver', {}, 'firing', [], false, 'Not notified: no receiver is configured for this alert.'],
    [
      'waits',
      { receivers: ['ops'] },
      'pending',
      [],
      true,
      'Not notified yet: the alert is pending, and only firing alerts notify.',
    ],
    [
      'held',
      { receivers: ['ops'], decisions: [{ receiver: 'ops', sends: false, reason: 'silenced_by: 5f', atMs: 1 }] },
      'firing',
      [],
      false,
      'Not notified: silenced (5f).',
    ],
    [
      'soon',
      { receivers: ['ops', 'chat'] },
      'firing',
      [],
      true,
      'Not notified yet: ops, chat will be notified with the next group.',
    ],
  ])('%s', (_what, part, state, deliveries, isGood, sentence) => {
    expect(deliverySentence({ ...marked(part), state }, deliveries)).toEqual({ isGood, sentence })
  })
})

test.each([
  ['first', 'first notification of its group'],
  ['silenced_by (5f)', 'silenced (5f)'],
  ['something_else', 'something else'],
  ['', ''],
])('the reason %j reads %j', (reason, want) => {
  expect(reasonWords(reason)).toBe(want)
})
