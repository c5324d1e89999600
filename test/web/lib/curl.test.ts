import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { curlOf, shellQuote } from '../../../src/web/lib/curl.ts'

test('a read and a change as commands', () => {
  expect(curlOf('https://d', { path: '/api/x?a=1' })).toBe(
    `curl -sS -H "Authorization: Bearer $DAYTWO_TOKEN" 'https://d/api/x?a=1'`,
  )
  expect(curlOf('https://d', { method: 'POST', path: '/api/x', body: { note: "it's" } })).toBe(
    String.raw`curl -sS -H "Authorization: Bearer $DAYTWO_TOKEN" -X POST -H 'Content-Type: application/json' -d '{"note":"it'\''s"}' 'https://d/api/x'`,
  )
})

test('a shell reads back what was quoted', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~\n]*$/), (text) => {
      expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(text)
    }),
    { numRuns: 25 },
  )
})
