import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertItem } from '../../../src/contract/alerts.ts'
import { applyAlertView, formatAlertView, parseAlertView, WHOLE_VIEW } from '../../../src/web/lib/alert-view.ts'
import type { AlertView } from '../../../src/web/lib/alert-view.ts'
import { ALERT_STATES, SEVERITIES, toHealthImpact, toSeverity } from '../../../src/web/lib/severity.ts'

function alert(name: string, part: Partial<AlertItem> = {}): AlertItem {
  return {
    fingerprint: name,
    alertname: name,
    cluster: 'c1',
    severity: 'warning',
    healthImpact: 'none',
    state: 'firing',
    activeAtMs: 0,
    value: 1,
    labels: {},
    annotations: {},
    rule: { group: 'g', file: 'f', expr: 'up == 0', forMs: 0, keepFiringForMs: 0 },
    ...part,
  }
}

const names = (alerts: readonly AlertItem[], view: Partial<AlertView>): string[] =>
  applyAlertView(alerts, { ...WHOLE_VIEW, ...view }).flatMap((group) => group.alerts.map(({ alertname }) => alertname))

describe('order', () => {
  const alerts = [
    alert('resolved-critical', { severity: 'critical', state: 'resolved', activeAtMs: 9 }),
    alert('info-impact', { severity: 'info', healthImpact: 'critical' }),
    alert('warning-old', { activeAtMs: 1 }),
    alert('pending-critical', { severity: 'critical', state: 'pending', activeAtMs: 8 }),
    alert('warning-new', { activeAtMs: 5 }),
    alert('critical', { severity: 'critical' }),
    alert('warning-impact', { healthImpact: 'warning' }),
  ]
  test('worst first: what fires, then severity, then health impact, then the newest', () => {
    expect(names(alerts, { sort: 'worst' })).toEqual([
      'critical',
      'warning-impact',
      'warning-new',
      'warning-old',
      'info-impact',
      'pending-critical',
      'resolved-critical',
    ])
  })
  test('newest first', () => {
    expect(names(alerts, { sort: 'newest' }).slice(0, 3)).toEqual([
      'resolved-critical',
      'pending-critical',
      'warning-new',
    ])
  })
})

describe('filters', () => {
  const alerts = [
    alert('KubeVirtCRModified', { cluster: 'prague-1', severity: 'warning' }),
    alert('HCOInstallationIncomplete', { cluster: 'prague-2', severity: 'info', state: 'pending' }),
    alert('VirtAPIDown', { cluster: 'brno-1', severity: 'critical' }),
  ]
  test.each<[string, Partial<AlertView>, string[]]>([
    ['severity', { severities: ['info', 'critical'] }, ['VirtAPIDown', 'HCOInstallationIncomplete']],
    ['state', { states: ['pending'] }, ['HCOInstallationIncomplete']],
    ['a part of a cluster, in any case', { text: ' PRAGUE ' }, ['KubeVirtCRModified', 'HCOInstallationIncomplete']],
    ['a part of a name', { text: 'api' }, ['VirtAPIDown']],
    ['the whole name', { alertname: 'VirtAPIDown' }, ['VirtAPIDown']],
    ['the whole name only', { alertname: 'VirtAPI' }, []],
    ['the whole cluster', { cluster: 'prague-1' }, ['KubeVirtCRModified']],
    ['several at once', { text: 'prague', severities: ['warning'] }, ['KubeVirtCRModified']],
  ])('by %s', (_what, view, want) => {
    expect(names(alerts, view)).toEqual(want)
  })

  test('an empty list has no groups', () => {
    expect(applyAlertView([], WHOLE_VIEW)).toEqual([])
  })
})

test('groups stand in the order of their worst alert', () => {
  const groups = applyAlertView(
    [alert('B', { cluster: 'x' }), alert('A', { severity: 'critical', cluster: 'y' }), alert('B', { cluster: 'y' })],
    { ...WHOLE_VIEW, groupBy: 'alert' },
  )
  expect(groups.map(({ key, alerts }) => [key, alerts.length])).toEqual([
    ['A', 1],
    ['B', 2],
  ])
})

describe('the URL', () => {
  test('the whole view is an empty query', () => {
    expect(formatAlertView(WHOLE_VIEW)).toBe('')
  })
  test('reads as a person would write it', () => {
    expect(
      formatAlertView({ ...WHOLE_VIEW, severities: ['critical', 'warning'], alertname: 'A', sort: 'newest' }),
    ).toBe('severity=critical,warning&alert=A&sort=newest')
  })
  test.each(['severity=fatal', 'state=', 'group=region', 'sort=random', 'severity=critical%00', '?=&&'])(
    'what it holds by mistake is left out: %s',
    (search) => {
      expect(parseAlertView(search)).toEqual(WHOLE_VIEW)
    },
  )
  test('every view survives its link', () => {
    const view = fc.record<AlertView>({
      severities: fc.subarray([...SEVERITIES]),
      states: fc.subarray([...ALERT_STATES]),
      alertname: fc.string(),
      cluster: fc.string(),
      text: fc.string(),
      groupBy: fc.constantFrom('none', 'alert', 'cluster'),
      sort: fc.constantFrom('worst', 'newest'),
    })
    fc.assert(
      fc.property(view, (asked) => {
        expect(parseAlertView(formatAlertView(asked))).toEqual(asked)
      }),
    )
  })
})

test('a severity or impact nobody knows is none', () => {
  expect([toSeverity('page'), toSeverity('critical'), toHealthImpact(''), toHealthImpact('warning')]).toEqual([
    'none',
    'critical',
    'none',
    'warning',
  ])
})
