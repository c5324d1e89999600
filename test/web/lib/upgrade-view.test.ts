import { expect, test } from 'vitest'
import { searchOf } from '../../../src/web/lib/address.ts'
import { compareUpgrades } from '../../../src/web/lib/upgrade-compare.ts'
import { heatRows, levelOf, phaseSeconds, typicalText } from '../../../src/web/lib/phase-heat.ts'
import { phaseLanes } from '../../../src/web/lib/phase-lanes.ts'
import { upgradeMarkdown } from '../../../src/web/lib/upgrade-markdown.ts'
import { isUpgradeViewNarrowed, questionOfUpgradeView, UPGRADE_VIEW } from '../../../src/web/lib/upgrade-view.ts'
import { edgeItems } from '../browser/edge-fixtures.ts'
import { allUpgrades, stuckItems, STUCK_VERDICT, stuckUpgrade, upgradeDetail } from '../browser/upgrade-fixtures.ts'

const NOW_MS = Date.parse('2026-11-22T03:20:00Z')
const EDGES = edgeItems(new URLSearchParams(), NOW_MS).edges

test.each([
  ['', ''],
  ['state=failed,stuck&state=unknown', 'state=failed&state=unknown'],
  ['operator=openshift&from=4.19.1&to=4.20.0', 'operator=openshift&from=4.19.1&to=4.20.0'],
  ['operator=mars&began=9y&sort=up&order=x', ''],
  ['sort=duration&order=desc&began=7d', 'began=7d&sort=duration'],
  ['sort=cluster&order=desc', 'sort=cluster&order=desc'],
  ['compare=a&compare=a&compare=&compare=b', 'compare=a&compare=b'],
  ['compare=1&compare=2&compare=3&compare=4&compare=5&compare=6', 'compare=1&compare=2&compare=3&compare=4&compare=5'],
])('the address %s is read, and written as %s', (search, want) => {
  const view = UPGRADE_VIEW.parse(search)
  expect(searchOf(UPGRADE_VIEW.searchOf(view))).toBe(want)
  expect(UPGRADE_VIEW.parse(want)).toEqual(view)
})

test('a window is asked for from a whole hour, so that the same question is asked again', () => {
  const view = UPGRADE_VIEW.parse('began=1d&state=failed')
  expect(questionOfUpgradeView(view, NOW_MS)).toMatchObject({
    startedFrom: '2026-11-21T03:00:00.000Z',
    state: ['failed'],
  })
  expect(questionOfUpgradeView(view, NOW_MS + 60_000)).toEqual(questionOfUpgradeView(view, NOW_MS))
  expect([isUpgradeViewNarrowed(view), isUpgradeViewNarrowed(UPGRADE_VIEW.parse('sort=ended&compare=a'))]).toEqual([
    true,
    false,
  ])
})

test('running upgrades stand with the stuck one first, each phase beside what its edge takes', () => {
  const running = allUpgrades(NOW_MS).filter(({ state }) => state === 'in_progress')
  const rows = heatRows(running, stuckItems(NOW_MS).stuck, EDGES, NOW_MS)
  expect(rows.map(({ upgrade }) => upgrade.id)).toEqual(['u-stuck', 'u-running'])
  expect(rows[0]!.cells.map(({ phase, level, isStuck }) => `${phase} ${level}${isStuck ? ' stuck' : ''}`)).toEqual([
    'approval none',
    'olm usual',
    'operands slow',
    'virt_handler.canary unmeasured',
    'virt_handler.waves slow stuck',
    'settle none',
    'workloads none',
  ])
  expect(rows[0]!.cells[4]!.text).toBe(
    'virt-handler waves: stuck, 50 min, typical 2 min to 3 min 36 s (p50 to p95, 300 upgrades on this path)',
  )
  expect(rows[0]!.cells[0]!.text).toBe('Approval: not part of this upgrade')
  expect(heatRows([], [], EDGES, NOW_MS)).toEqual([])
})

test.each([
  [undefined, { runs: 9, p50Seconds: 10, p95Seconds: 20 }, 'none'],
  [10, { runs: 9, p50Seconds: 10, p95Seconds: 20 }, 'quick'],
  [20, { runs: 9, p50Seconds: 10, p95Seconds: 20 }, 'usual'],
  [21, { runs: 9, p50Seconds: 10, p95Seconds: 20 }, 'slow'],
  [999, { runs: 9, p50Seconds: 10, p95Seconds: null }, 'usual'],
  [1, { runs: 2, p50Seconds: 10, p95Seconds: 20 }, 'unmeasured'],
  [1, { runs: 9, p50Seconds: null, p95Seconds: null }, 'unmeasured'],
  [1, undefined, 'unmeasured'],
] as const)('%j seconds where %j is usual are %s', (seconds, usual, want) => {
  expect(levelOf(seconds, usual)).toBe(want)
})

test('a phase that nobody saw end took nobody knows how long, one that runs takes until now', () => {
  const phase = { ...stuckUpgrade(NOW_MS).phases[1]!, endedAt: null }
  expect(phaseSeconds({ ...phase, state: 'in_progress' }, NOW_MS)).toBe(3600)
  expect(phaseSeconds({ ...phase, state: 'unknown' }, NOW_MS)).toBeUndefined()
  expect(phaseSeconds({ ...phase, startedAt: null, state: 'pending' }, NOW_MS)).toBeUndefined()
  expect(typicalText(undefined)).toBe('typical duration not known yet')
  expect(typicalText({ runs: 3, p50Seconds: 9, p95Seconds: 9.4 })).toBe(
    'typical 9 s (p50 to p95, 3 upgrades on this path)',
  )
})

test('lanes begin with the machinery and end now; bands and the threshold lie where they are due', () => {
  const detail = upgradeDetail('u-stuck', NOW_MS)!
  const { lanes, fromMs, toMs } = phaseLanes(detail)
  expect([fromMs - NOW_MS, Math.round((toMs - NOW_MS) / 1000)]).toEqual([-3600_000, 216])
  const lane = (name: string) => lanes.find(({ phase }) => phase.name === name)!
  // Offered before the line begins: only its cut end is there.
  expect(lane('offered').bar).toEqual({ start: 0, end: 0, isCutBefore: true, isCutAfter: false })
  const waves = lane('virt_handler.waves')
  const at = (minutes: number): number => (minutes * 60_000) / (toMs - fromMs)
  expect(waves.bar!.start).toBeCloseTo(at(10), 6)
  expect(waves.band!.start).toBeCloseTo(at(10 + 110 / 60), 6)
  expect(waves.threshold).toBeCloseTo(at(20 + 345 / 60), 6)
  expect(lane('olm.installing').isSub).toBe(true)
  expect(lane('settle').bar).toBeUndefined()
  for (const { bar, band } of lanes) {
    for (const span of [bar, band]) {
      if (span === undefined) continue
      expect(span.start).toBeGreaterThanOrEqual(0)
      expect(span.end).toBeGreaterThanOrEqual(span.start)
      expect(span.end).toBeLessThanOrEqual(1)
    }
  }
})

test('a phase that has not begun has no bar, though it is known when it could have', () => {
  const detail = upgradeDetail('u-stuck', NOW_MS)!
  const phases = detail.upgrade.phases.map((phase) => ({ ...phase, state: 'pending' as const, endedAt: null }))
  const { lanes } = phaseLanes({ ...detail, upgrade: { ...detail.upgrade, phases } })
  expect(lanes.every(({ bar }) => bar === undefined)).toBe(true)
})

test('an upgrade of which no time is known still has its lanes', () => {
  const detail = upgradeDetail('u-stuck', NOW_MS)!
  const phases = detail.upgrade.phases.map((phase) => ({ ...phase, startedAt: null, endedAt: null }))
  const { lanes, fromMs, toMs } = phaseLanes({ ...detail, upgrade: { ...detail.upgrade, startedAt: null, phases } })
  expect(toMs).toBeGreaterThan(fromMs)
  expect(lanes.every(({ bar, band }) => bar === undefined && band === undefined)).toBe(true)
})

test('compared upgrades are aligned by the time since they began, without waiting for people', () => {
  const [running, stuck, past] = allUpgrades(NOW_MS)
  const { rows, seconds } = compareUpgrades([stuck!, past!], NOW_MS)
  expect(rows.map(({ phase }) => phase)).toEqual([
    'olm',
    'operands',
    'virt_handler.canary',
    'virt_handler.waves',
    'settle',
  ])
  expect(rows[1]!.cells).toEqual([
    { seconds: 56 * 60, afterSeconds: 4 * 60 },
    { seconds: 5 * 60, afterSeconds: 4 * 60 },
  ])
  expect(rows[4]!.cells).toEqual([{}, { seconds: 180, afterSeconds: 540 }])
  expect(seconds).toBe(3600)
  expect(compareUpgrades([running!], NOW_MS).rows.length).toBe(2)
  expect(compareUpgrades([], NOW_MS)).toEqual({ rows: [], seconds: 1 })
})

test('handed over as Markdown: what is in the way, since when, and how each phase did', () => {
  const text = upgradeMarkdown(upgradeDetail('u-stuck', NOW_MS)!, 'https://daytwo.example.org/fleet/upgrades/u-stuck')
  expect(text.split('\n').slice(0, 8)).toEqual([
    '## ams-stuck-1: HCO 1.17.3 → 1.18.1, stuck',
    '',
    '- Started 2026-11-22 02:20:00 UTC, as of 2026-11-22 03:20:00 UTC (±1 s)',
    '- In virt-handler waves, no progress since 2026-11-22 02:40:00 UTC',
    '- **virt-handler does not roll out**: virt-handler is not ready on worker-7.',
    '- Less likely: Cause unknown: Something else.',
    '- VMs remaining on the old virt-launcher: 44',
    '- https://daytwo.example.org/fleet/upgrades/u-stuck',
  ])
  expect(text).toContain(
    '| virt-handler waves | running | 50 min | typical 1 min 50 s to 5 min (p50 to p95, 48 upgrades on this path) |',
  )
  expect(text).not.toContain('| Settle |')
  const over = upgradeMarkdown(upgradeDetail('u-0', NOW_MS)!, 'x')
  expect(over).toContain('ended 2026-11-22 01:32:00 UTC')
  expect(over).not.toContain('Evidence')
  expect(STUCK_VERDICT(NOW_MS).stuck).toBe(true)
})
