import { expect, test } from 'vitest'
import { UNAVAILABLE } from '../../../src/api/fleet/moment.ts'
import { presentSentence } from '../../../src/web/lib/past-notes.ts'
import { describeUnavailable } from '../../../src/web/lib/unavailable-words.ts'
import {
  alertPath,
  ALERT_PAGES,
  PLACES,
  ROUTES,
  rulePath,
  runbookPath,
  FLEET_ROUTES,
  EXPLORE_ROUTES,
} from '../../../src/web/lib/paths.ts'

test.each(Object.entries(UNAVAILABLE))('what %s does not tell of the past has words', (_, fields) => {
  for (const field of fields) expect(describeUnavailable([field]), field).not.toEqual([field])
})

test('each thing is said once, and a field that nobody wrote words for stands for itself', () => {
  expect(
    describeUnavailable(['coverage.silent', 'upgrade.blockedBy', 'upgrades.blockedBy', 'clusters.silent', 'new.field']),
  ).toEqual(['which clusters were silent', 'what blocked an upgrade', 'new.field'])
})

test('pages that cannot show the past say so, and the others do not', () => {
  const all = [...PLACES, ...ALERT_PAGES].map(({ path }) => path)
  const pages = [...new Set([...all, ...Object.values(FLEET_ROUTES), ...Object.values(EXPLORE_ROUTES)])]
  const present = pages.filter((path) => presentSentence(path) !== undefined)
  const alerting = [ROUTES.silences, ROUTES.delivery, ROUTES.lint, ROUTES.rules, ROUTES.outcomes]
  const want = [...alerting, FLEET_ROUTES.plan, FLEET_ROUTES.setting]
  expect(present.sort()).toEqual(want.sort())
})

test('an open alert, a rule and a runbook are The list and the alert show the selected time; the runbook is the current one.', () => {
  expect(presentSentence(alertPath('0123456789abcdef'))).toContain(
    'The list and the alert show the selected time; the runbook is the current one.',
  )
  expect(presentSentence(rulePath('X'))).toContain('This page shows current rules only.')
  expect(presentSentence(runbookPath('X'))).toContain('This page shows the current runbook.')
  expect(presentSentence('/rbx')).toBeUndefined()
})
