import { expect, test } from 'vitest'
import { parseAlertAsk } from '../../../src/web/lib/alert-ask.ts'

test.each([
  ['do=acknowledge', 'acknowledge'],
  ['severity=critical&do=silence', 'silence'],
  ['do=delete', undefined],
  ['', undefined],
])('?%s', (search, ask) => {
  expect(parseAlertAsk(search)).toBe(ask)
})
