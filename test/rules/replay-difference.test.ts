import { expect, test } from 'vitest'
import { PERIODS_MAX, replayDifference, type FiringPeriod } from '../../src/rules/replay-difference.ts'

const period = (
  cluster: string,
  firedAtMs: number,
  resolvedAtMs?: number,
  more: Readonly<Record<string, string>> = {},
): FiringPeriod => ({
  labels: { alertname: 'A', severity: 'warning', cluster, ...more },
  firedAtMs,
  ...(resolvedAtMs === undefined ? {} : { resolvedAtMs }),
})
const rule = (...periods: readonly FiringPeriod[]) => ({ periods, ownLabels: ['severity'] })
const TO_MS = 100_000

const timesOf = ({
  items,
}: {
  readonly items: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly fromMs: number
    readonly untilMs: number
  }[]
}) => items.map(({ labels, fromMs, untilMs }) => [...Object.values(labels), fromMs, untilMs])

test('equal rules have no difference', () => {
  const same = rule(period('a', 1000, 5000), period('b', 2000))
  const found = replayDifference(same, same, TO_MS)
  expect(found).toMatchObject({ onlyPresent: { periods: 0, seconds: 0 }, onlyEdited: { periods: 0 }, bothSeconds: 102 })
  expect(found.comparedBy).toEqual(['cluster'])
})

test.each([
  ['later under the edited rule', [period('a', 1000, 9000)], [period('a', 3000, 9000)], [['a', 1000, 3000]], []],
  ['ends earlier', [period('a', 1000, 9000)], [period('a', 1000, 4000)], [['a', 4000, 9000]], []],
  [
    'a gap in the middle',
    [period('a', 1000, 9000)],
    [period('a', 1000, 3000), period('a', 5000, 9000)],
    [['a', 3000, 5000]],
    [],
  ],
  [
    'one long against two',
    [period('a', 1000, 3000), period('a', 5000, 9000)],
    [period('a', 1000, 9000)],
    [],
    [['a', 3000, 5000]],
  ],
  ['another cluster', [period('a', 1000, 2000)], [period('b', 1000, 2000)], [['a', 1000, 2000]], [['b', 1000, 2000]]],
  ['still firing', [period('a', 1000)], [period('a', 1000, 5000)], [['a', 5000, TO_MS]], []],
  ['adjacent periods', [period('a', 1000, 2000), period('a', 2000, 3000)], [period('a', 1000, 3000)], [], []],
  ['adjacent periods alone', [period('a', 1000, 2000), period('a', 2000, 3000)], [], [['a', 1000, 3000]], []],
  ['nothing any more', [period('a', 1000, 2000)], [], [['a', 1000, 2000]], []],
  ['new', [], [period('a', 1000, 2000)], [], [['a', 1000, 2000]]],
] as const)('%s', (_, present, edited, onlyPresent, onlyEdited) => {
  const found = replayDifference(rule(...present), rule(...edited), TO_MS)
  expect(timesOf(found.onlyPresent)).toEqual(onlyPresent)
  expect(timesOf(found.onlyEdited)).toEqual(onlyEdited)
})

test('labels that a rule sets, or that one rule alone has, do not divide alerts', () => {
  const present = rule(period('a', 1000, 2000, { pod: 'x' }), period('a', 1500, 3000, { pod: 'y' }))
  const edited = { ...rule(period('a', 1000, 3000, { severity: 'critical' })), ownLabels: ['severity', 'team'] }
  const found = replayDifference(present, edited, TO_MS)
  expect(found.comparedBy).toEqual(['cluster'])
  expect([found.onlyPresent.periods, found.onlyEdited.periods, found.bothSeconds]).toEqual([0, 0, 2])
})

test('clusters are counted once, the newest periods are listed, and floods are cut', () => {
  const many = Array.from({ length: 300 }, (_, i) => period(`c${i % 3}`, i * 100, i * 100 + 50))
  const { onlyPresent } = replayDifference(rule(...many), rule(), TO_MS)
  expect(onlyPresent).toMatchObject({ periods: 300, clusters: 3, seconds: 15 })
  expect(onlyPresent.items).toHaveLength(200)
  expect(onlyPresent.items[0]!.fromMs).toBe(29_900)
  const flood = (count: number) =>
    replayDifference(rule(...new Array<FiringPeriod>(count).fill(period('a', 1, 2))), rule(), 9).isCut
  expect([flood(PERIODS_MAX), flood(PERIODS_MAX + 1)]).toEqual([false, true])
})
