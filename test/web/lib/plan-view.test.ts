import { describe, expect, test } from 'vitest'
import { outcomesText, stepWindowText, totalText, windowText } from '../../../src/web/lib/plan-text.ts'
import { PLAN_VIEW, planRequestOf, proposedTargets } from '../../../src/web/lib/plan-view.ts'
import { planPath } from '../../../src/web/lib/paths.ts'
import { planAnswer } from '../browser/plan-fixtures.ts'

describe('the input of a plan', () => {
  test('is in the address, all of it, and comes back from it', () => {
    const view = {
      ...PLAN_VIEW.initial,
      ...{ target: '4.18', versions: ['1.12', '1.13'], platform: 'openshift 4.16', region: 'eu', text: 'prod' },
      ...{ clusters: ['a', "o'connor"], atOnce: '3', windows: ['Sat 22:00-06:00', 'daily 01:00-02:00'] },
      ...{ zone: 'Europe/Prague', start: '2026-09-05T00:00:00Z', open: 'a' },
    }
    const address = planPath(PLAN_VIEW.searchOf(view))
    expect(PLAN_VIEW.parse(new URL(address, 'http://x').search)).toEqual(view)
    expect(planRequestOf(view, 'ics')).toEqual({
      target: '4.18',
      selector: {
        ...{ platform: 'openshift 4.16', region: 'eu', text: 'prod', version: ['1.12', '1.13'] },
        cluster: ['a', "o'connor"],
      },
      ...{ clustersAtOnce: 3, windows: ['Sat 22:00-06:00', 'daily 01:00-02:00'], timeZone: 'Europe/Prague' },
      ...{ start: '2026-09-05T00:00:00Z', export: 'ics' },
    })
  })

  test('that is empty asks for all clusters, and leaves the rest to the server', () => {
    expect(planRequestOf({ ...PLAN_VIEW.initial, target: '1.18', atOnce: 'many' })).toEqual({
      target: '1.18',
      selector: {},
    })
  })

  test('proposes what is installed and the next two minors, the newest first', () => {
    const platforms = [
      { value: 'openshift 4.16', count: 3 },
      { value: 'kubernetes v1.33', count: 1 },
      { value: null, count: 1 },
    ]
    expect(proposedTargets({ platforms, versions: [{ value: '1.12.0', count: 1 }] })).toEqual([
      ...['4.18', '4.17', '4.16', '1.14', '1.13', '1.12'],
    ])
  })
})

describe('texts', () => {
  const plan = planAnswer({ target: '4.18' }, 0)
  const [cluster] = plan.clusters

  test('outcomes in words, without those of no cluster', () => {
    expect(outcomesText(plan)).toBe('12 with a path to the target')
    expect(outcomesText({ outcomes: { path: 2, at_target: 1, no_path: 3 } })).toBe(
      '2 with a path to the target, 1 at the target, 3 without a supported path',
    )
  })

  test('durations: what is not counted, unknown, or beyond what was observed', () => {
    expect(totalText(cluster!)).toBe('p50 4 h 03 min, p90 5 h 15 min')
    expect(totalText({ ...cluster!, total: { ...cluster!.total, unknownSteps: 2 } })).toBe(
      'at least p50 4 h 03 min, p90 5 h 15 min; 2 steps unknown',
    )
    expect(totalText({ ...cluster!, total: { p50Seconds: 0, p90Seconds: 0, unknownSteps: 1 } })).toBe('1 step unknown')
    expect(totalText({ ...cluster!, steps: [] })).toBe('')
    const [pause, , upgrade] = cluster!.steps
    expect([stepWindowText(pause!), stepWindowText(upgrade!)]).toEqual(['not counted', 'p50 12 min, p90 19 min'])
    const unknown = { ...upgrade!, window: { ...upgrade!.window, source: 'unknown' as const } }
    expect(stepWindowText(unknown)).toBe('duration unknown')
    expect(windowText({ p50Seconds: 60, p90Seconds: null, unknownSteps: 0 })).toBe(
      'p50 1 min, p90 longer than observed',
    )
    expect(windowText({ p50Seconds: null, p90Seconds: null, unknownSteps: 0 })).toBe('longer than observed')
  })
})
