import { describe, expect, test } from 'vitest'
import type { UpgradeItem } from '../../../src/contract/fleet-upgrades.ts'
import type { SilenceItem } from '../../../src/contract/silences.ts'
import { handOver, type HandOverParts, type HandOverSection } from '../../../src/web/lib/hand-over.ts'
import { handOverMarkdown } from '../../../src/web/lib/hand-over-markdown.ts'
import { chosenShift, handOverSince } from '../../../src/web/lib/hand-over-view.ts'
import { firstNow, now } from '../browser/now-fixtures.ts'
import { alertItem } from './alert-item.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')
const HOUR_MS = 3_600_000
const SINCE_MS = NOW_MS - 8 * HOUR_MS

const PARTS: HandOverParts = {
  now: now(NOW_MS),
  then: now(SINCE_MS),
  alerts: [],
  runs: { runs: [] },
  silences: [],
  ended: undefined,
  sinceMs: SINCE_MS,
  zone: 'utc',
}
const sectionOf = (parts: Partial<HandOverParts>, title: RegExp): HandOverSection =>
  handOver({ ...PARTS, ...parts }).sections.find((section) => title.test(section.title))!

test('what is stuck is told with what was at the begin: what came, and what got further', () => {
  const then = now(SINCE_MS)
  const [first, ...others] = then.stuck.items
  const before = { ...then, stuck: { count: 2, items: [{ ...first!, id: 'freed' }, ...others] } }
  const stuck = sectionOf({ then: before }, /^Stuck/)
  expect([stuck.count, stuck.countThen, stuck.says]).toEqual([
    2,
    2,
    '1 upgrade stuck at the start of the shift progressed or ended.',
  ])
  expect(stuck.items.map(({ isNew }) => isNew)).toEqual([true, ...others.map(() => false)])
  // A fleet that nobody knew then is no fleet without anything stuck.
  expect(sectionOf({ then: firstNow(SINCE_MS) }, /^Stuck/)).not.toHaveProperty('countThen')
})

test('how many clusters are gone is told only when it is another number than at the begin', () => {
  const withGone = (atMs: number, gone: number) => ({ ...now(atMs), clusters: { ...now(atMs).clusters, gone } })
  const told = (before: number | undefined, after: number) => {
    const then = before === undefined ? undefined : withGone(SINCE_MS, before)
    const { sections } = handOver({ ...PARTS, now: withGone(NOW_MS, after), then })
    return sections.filter(({ title }) => title === 'Decommissioned clusters')
  }
  expect([told(2, 2), told(undefined, 2)]).toEqual([[], []])
  expect(told(2, 3)).toMatchObject([{ count: 3, countThen: 2, items: [] }])
  expect(told(1, 0)).toMatchObject([{ count: 0, countThen: 1 }])
})

test('what fires is told by name, the worst first, with who has seen it', () => {
  const marks = (by?: string, silencedBy: string[] = []) => ({
    silencedBy,
    inhibitedBy: [],
    mutedBy: [],
    receivers: [],
    decisions: [],
    ...(by === undefined ? {} : { acknowledged: { by, atMs: NOW_MS, note: '' } }),
  })
  const firing = sectionOf(
    {
      alerts: [
        alertItem('1', { alertname: 'Slow', severity: 'warning', marks: marks('kim') }),
        alertItem('2', { alertname: 'Slow', severity: 'warning', cluster: 'b', marks: marks(undefined, ['s']) }),
        alertItem('3', { alertname: 'Down', severity: 'critical' }),
        alertItem('4', { alertname: 'Waits', state: 'pending' }),
      ],
    },
    /^Firing/,
  )
  expect(firing.items.map(({ name, says }) => `${name}: ${says.replace(/since [^,]*/, 'since then')}`)).toEqual([
    expect.stringMatching(/^Down: critical, .*, since then, not acknowledged$/),
    'Slow: warning, 2 clusters, since then, 1 of 2 acknowledged by kim, 1 silenced',
  ])
})

test('silences that end within the next shift, and no others', () => {
  const silence = (id: string, startsHours: number, endsHours: number): SilenceItem => ({
    id,
    state: 'active',
    matchers: [{ name: 'alertname', op: '=', value: id }],
    startsAtMs: NOW_MS + startsHours * HOUR_MS,
    endsAtMs: NOW_MS + endsHours * HOUR_MS,
    updatedAtMs: NOW_MS,
    createdBy: 'kim',
    comment: 'rack 4 moves',
    untilResolved: false,
    hides: [],
  })
  const silences = [silence('late', -1, 9), silence('two', -1, 7), silence('one', -1, 2), silence('over', -3, -1)]
  const ending = sectionOf({ silences: [...silences, silence('later', 1, 2)] }, /^Silences/)
  expect([ending.title, ending.items.map(({ name }) => name)]).toEqual([
    'Silences that end within 8 h',
    ['alertname="one"', 'alertname="two"'],
  ])
})

test('of what ended, what went well is a number and what did not is named', () => {
  const ended = (id: string, state: UpgradeItem['state'], hoursAgo: number): UpgradeItem =>
    ({
      id,
      cluster: id,
      operator: 'kubevirt-hyperconverged',
      from: '1.16.0',
      to: '1.17.0',
      state,
      startedAt: null,
      endedAt: new Date(NOW_MS - hoursAgo * HOUR_MS).toISOString(),
      blockedBy: null,
    }) as UpgradeItem
  const upgrades = [ended('a', 'succeeded', 1), ended('b', 'failed', 2), ended('c', 'succeeded', 9)]
  const list = { ...PARTS.now, upgrades, nextCursor: null } as unknown as NonNullable<HandOverParts['ended']>
  const section = sectionOf({ ended: list }, /^Ended upgrades/)
  expect([section.count, section.says, section.items.map(({ name }) => name)]).toEqual([
    2,
    '1 succeeded, 1 failed.',
    ['b'],
  ])
  const parts = { runs: undefined, silences: undefined, alerts: undefined }
  for (const title of [/^Ended upgrades/, /^Resolved alerts/, /^Silences/])
    expect(sectionOf(parts, title)).toMatchObject({ count: null, says: 'Could not be loaded.' })
  expect(sectionOf(parts, /^Firing/)).toMatchObject({
    count: 35,
    says: 'The list of firing alerts could not be loaded.',
  })
  expect(handOverMarkdown(handOver({ ...PARTS, ...parts }), String)).toContain('## Resolved alerts: not known\n')
})

describe('as Markdown', () => {
  test('it has every section, and what others wrote stays text', () => {
    const alerts = [alertItem('1', { alertname: 'A|b*', cluster: '<script>' })]
    const text = handOverMarkdown(handOver({ ...PARTS, alerts }), (path) => `https://daytwo.example${path}`)
    expect(text.match(/^## .*$/gm)).toHaveLength(8)
    expect(text).toContain('# Hand-over 2026-08-20 10:00:00 UTC\n\nSince 2026-08-20 02:00:00 UTC; 198 of 200')
    expect(text).toContain('- [A\\|b\\*](https://daytwo.example/alerts?')
    expect(text).toContain('\\<script\\>')
  })
})

test.each([
  ['?handover=8h', SINCE_MS, '8h'],
  ['?handover=12h&at=x', NOW_MS - 12 * HOUR_MS, '12h'],
  ['?handover=2026-08-20T09:30:00Z', NOW_MS - HOUR_MS / 2, ''],
  // After the end there is no shift.
  ['?handover=2026-08-20T11:00:00Z', undefined, ''],
  ['?handover=tomorrow', undefined, ''],
  ['', undefined, ''],
])('%s is since %s', (search, sinceMs, shift) => {
  expect([handOverSince(search, NOW_MS), chosenShift(search)]).toEqual([sinceMs, shift])
})
