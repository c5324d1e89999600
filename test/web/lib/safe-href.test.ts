import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntities } from '../../../src/web/lib/runbook-blocks.ts'
import { linkTarget } from '../../../src/web/lib/safe-href.ts'

test.each([
  ['https://kubevirt.io/x?a=b#c', { kind: 'outside', url: 'https://kubevirt.io/x?a=b#c' }],
  ['mailto:a@b.c', { kind: 'outside', url: 'mailto:a@b.c' }],
  ['./OtherAlert.md', { kind: 'inside', path: '/rb/OtherAlert' }],
  ['OtherAlert.md', { kind: 'inside', path: '/rb/OtherAlert' }],
  ['/alerts?severity=critical', { kind: 'inside', path: '/alerts?severity=critical' }],
  ['#diagnosis', { kind: 'section', id: 'diagnosis' }],
])('%s is followed', (href, target) => {
  expect(linkTarget(href)).toEqual(target)
})

test.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'data:text/html,<script>',
  'vbscript:x',
  '//evil.example',
  '/\\evil.example',
  '/a\\..\\b',
  'https://',
  'ftp://x',
  '../../etc/passwd',
  '',
])('%j is only text', (href) => {
  expect(linkTarget(href)).toBeUndefined()
})

test('no address has another scheme than the three', () => {
  fc.assert(
    fc.property(fc.string(), (href) => {
      const target = linkTarget(href)
      if (target?.kind === 'outside') expect(target.url).toMatch(/^(https?|mailto):/)
      if (target?.kind === 'inside') expect(target.path).toMatch(/^\/(?!\/)/)
    }),
  )
})

test.each([
  ['a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#x27;', `a <b> & "c" 'd'`],
  ['&amp;lt;', '&lt;'],
  ['&unknown; &#0; &#xD800; &#x110000; &;', '&unknown; &#0; &#xD800; &#x110000; &;'],
])('%s is read once', (text, want) => {
  expect(decodeEntities(text)).toBe(want)
})
