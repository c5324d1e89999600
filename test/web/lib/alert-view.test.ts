import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertItem } from '../../../src/contract/alerts.ts'
import { NO_MARKS } from '../../../src/web/lib/alert-marks.ts'
import {
  applyAlertView,
  formatAlertView,
  parseAlertAction,
  type AlertView,
  ALERT_VIEW,
} from '../../../src/web/lib/alert-view.ts'
import { ALERT_STATES, SEVERITIES, toHealthImpact, toSeverity } from '../../../src/web/lib/severity.ts'
import { alertItem } from './alert-item.ts'

const names = (alerts: readonly AlertItem[], view: Partial<AlertView>): string[] =>
  applyAlertView(alerts, { ...ALERT_VIEW.initial, ...view }).map(({ alertname }) => alertname)

describe('order', () => {
  const alerts = [
    alertItem('resolved-critical', { severity: 'critical', state: 'resolved', activeAtMs: 9 }),
    alertItem('info-impact', { severity: 'info', healthImpact: 'critical' }),
    alertItem('warning-old', { activeAtMs: 1 }),
    alertItem('pending-critical', { severity: 'critical', state: 'pending', activeAtMs: 8 }),
    alertItem('warning-new', { activeAtMs: 5 }),
    alertItem('critical', { severity: 'critical' }),
    alertItem('warning-impact', { healthImpact: 'warning' }),
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
    alertItem('KubeVirtCRModified', {
      cluster: 'prague-1',
      severity: 'warning',
      marks: { ...NO_MARKS, acknowledged: { by: 'me', atMs: 0, note: '' } },
    }),
    alertItem('HCOInstallationIncomplete', { cluster: 'prague-2', severity: 'info', state: 'pending' }),
    alertItem('VirtAPIDown', { cluster: 'brno-1', severity: 'critical' }),
  ]
  test.each<[string, Partial<AlertView>, string[]]>([
    ['severity', { severities: ['info', 'critical'] }, ['VirtAPIDown', 'HCOInstallationIncomplete']],
    ['state', { states: ['pending'] }, ['HCOInstallationIncomplete']],
    ['a part of a cluster, in any case', { text: ' PRAGUE ' }, ['KubeVirtCRModified', 'HCOInstallationIncomplete']],
    ['a part of a name', { text: 'api' }, ['VirtAPIDown']],
    ['the whole name', { alertname: 'VirtAPIDown' }, ['VirtAPIDown']],
    ['the whole name only', { alertname: 'VirtAPI' }, []],
    ['the whole cluster', { cluster: 'prague-1' }, ['KubeVirtCRModified']],
    ['only what needs somebody', { show: 'open' }, ['VirtAPIDown', 'HCOInstallationIncomplete']],
    ['several at once', { text: 'prague', severities: ['warning'] }, ['KubeVirtCRModified']],
  ])('by %s', (_what, view, want) => {
    expect(names(alerts, view)).toEqual(want)
  })
})

describe('the URL', () => {
  test('the whole view is an empty query', () => {
    expect(formatAlertView(ALERT_VIEW.initial)).toBe('')
  })
  test('reads as a person would write it', () => {
    expect(
      formatAlertView({ ...ALERT_VIEW.initial, severities: ['critical', 'warning'], alertname: 'A', sort: 'newest' }),
    ).toBe('severity=critical,warning&alert=A&sort=newest')
  })
  test.each([
    'severity=fatal',
    'state=',
    'group=region',
    'group=label:',
    'group=label:a-b',
    'show=some',
    'sort=random',
    'severity=critical%00',
    '?=&&',
  ])('what it holds by mistake is left out: %s', (search) => {
    expect(ALERT_VIEW.parse(search)).toEqual(ALERT_VIEW.initial)
  })
  test('every view survives its link', () => {
    const view = fc.record<AlertView>({
      severities: fc.subarray([...SEVERITIES]),
      states: fc.subarray([...ALERT_STATES]),
      alertname: fc.string(),
      cluster: fc.string(),
      text: fc.string(),
      groupBy: fc.constantFrom('auto', 'none', 'alert', 'cluster', 'label:node', 'label:_x9'),
      show: fc.constantFrom('all', 'open'),
      sort: fc.constantFrom('worst', 'newest'),
    })
    fc.assert(
      fc.property(view, (asked) => {
        expect(ALERT_VIEW.parse(formatAlertView(asked))).toEqual(asked)
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

test.each([
  ['do=acknowledge', 'acknowledge'],
  ['severity=critical&do=silence', 'silence'],
  ['do=delete', undefined],
  ['', undefined],
])('the action of the link ?%s', (search, action) => {
  expect(parseAlertAction(search)).toBe(action)
})
