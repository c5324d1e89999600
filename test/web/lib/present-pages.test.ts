import { expect, test } from 'vitest'
import { alertPath, ALERT_PAGES, PLACES, ROUTES, rulePath, runbookPath } from '../../../src/web/lib/paths.ts'
import { EXPLORE_ROUTES } from '../../../src/web/lib/explore-paths.ts'
import { FLEET_ROUTES } from '../../../src/web/lib/fleet-paths.ts'
import { presentSentence } from '../../../src/web/lib/present-pages.ts'

test('pages that cannot show the past say so, and the others do not', () => {
  const all = [...PLACES, ...ALERT_PAGES].map(({ path }) => path)
  const pages = [...new Set([...all, ...Object.values(FLEET_ROUTES), ...Object.values(EXPLORE_ROUTES)])]
  const present = pages.filter((path) => presentSentence(path) !== undefined)
  expect(present.sort()).toEqual([ROUTES.silences, ROUTES.delivery, ROUTES.lint, ROUTES.rules].sort())
})

test('an open alert, a rule and a runbook are of the present', () => {
  expect(presentSentence(alertPath('0123456789abcdef'))).toContain('of the present')
  expect(presentSentence(rulePath('X'))).toContain('rules of the present')
  expect(presentSentence(runbookPath('X'))).toContain('of the present')
  expect(presentSentence('/rbx')).toBeUndefined()
})
