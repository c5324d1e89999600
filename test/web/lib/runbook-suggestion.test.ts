import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unifiedDiff } from '../../../src/web/lib/runbook-suggestion.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'diff-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('')

test('names what changes, with three lines around it', () => {
  const before = numbered(12)
  expect(unifiedDiff('runbooks/A.md', before, before.replace('line 5\n', 'line five\nand more\n'))).toBe(
    `diff --git a/runbooks/A.md b/runbooks/A.md
--- a/runbooks/A.md
+++ b/runbooks/A.md
@@ -3,7 +3,8 @@
 line 2
 line 3
 line 4
-line 5
+line five
+and more
 line 6
 line 7
 line 8
`,
  )
  expect(unifiedDiff('a', before, before)).toBe('')
})

const LONG = numbered(40)
test.each([
  ['two places far apart', LONG, LONG.replace('line 3\n', '').replace('line 30\n', 'thirty\n')],
  ['two places that touch', LONG, LONG.replace('line 3\n', 'three\n').replace('line 8\n', '')],
  ['the first and the last line', LONG, `new\n${LONG}newer\n`],
  ['a last line that loses its end', 'a\nb\n', 'a\nb'],
  ['a last line that gets one', 'a\nb', 'a\nb\n'],
  ['all of it', 'a\nb\n', 'c\nd\ne\n'],
  ['repeated lines', 'x\nx\ny\nx\n', 'x\ny\nx\nx\n'],
  ['words of other alphabets', 'ü\n', 'ž\nü\n'],
])('git applies a change of %s', (_, before, after) => {
  writeFileSync(join(folder, 'page.md'), before)
  writeFileSync(join(folder, 'page.patch'), `Found while it fired.\n\n${unifiedDiff('page.md', before, after)}`)
  execFileSync('git', ['apply', 'page.patch'], {
    cwd: folder,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
  })
  expect(readFileSync(join(folder, 'page.md'), 'utf8')).toBe(after)
})
