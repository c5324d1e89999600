import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unsetClasses } from '../../scripts/patternfly-unset.ts'
import { pruneStyles } from '../../scripts/prune-styles.ts'

const NOBODY = { scripts: '', styles: '' }
const BUTTON = { scripts: 'pf-v6-c-button pf-m-plain', styles: '' }

describe('rules', () => {
  test.each([
    ['.pf-v6-c-menu{color:red}', '', 'a class that no script names'],
    ['.pf-v6-c-button{color:red}', '.pf-v6-c-button{color:red}', 'one that a script names'],
    ['.pf-v6-c-button,.pf-v6-c-menu{color:red}', '.pf-v6-c-button{color:red}', 'a list of both'],
    ['.pf-v6-c-button.pf-m-danger{color:red}', '', 'both at once'],
    ['.pf-v6-c-menu .mine{color:red}', '', 'something inside what is never there'],
    [':root:where(.pf-v6-theme-glass){color:red}', '', 'a theme that is never chosen'],
    [':where(.pf-v6-c-menu,.dark){color:red}', ':where(.pf-v6-c-menu,.dark){color:red}', 'a choice'],
    [
      '.pf-v6-c-button:not(.pf-m-danger){color:red}',
      '.pf-v6-c-button:not(.pf-m-danger){color:red}',
      'what is not there',
    ],
    ['.mine{color:red}', '.mine{color:red}', 'classes of our own'],
    ['@media print{.pf-v6-c-menu{color:red}}', '', 'nothing left of a condition'],
    ['@media print{.pf-v6-c-button{color:red}}', '@media print{.pf-v6-c-button{color:red}}', 'a condition'],
    ['@font-face{font-family:"A;}"}', '@font-face{font-family:"A;}"}', 'fonts, and quoted braces'],
    ['@keyframes a{from{color:red}}', '@keyframes a{from{color:red}}', 'what moves'],
    ['a{b:url(data:x;y)}', 'a{b:url(data:x;y)}', 'a semicolon in brackets'],
    ['/* } */ a /* { */ {\n  b : c ;\n}\n', 'a{b : c}', 'comments and space'],
    ['.pf-v6-c-button\\:x{a:b}', '.pf-v6-c-button\\:x{a:b}', 'an escaped sign'],
    ['@import "x";a{b:c}', '@import "x";a{b:c}', 'a statement'],
  ])('%s', (css, want) => {
    expect(pruneStyles(css, BUTTON)).toBe(want)
  })

  test('for classes that begin as a script says stay', () => {
    const css = '.pf-m-width-10{a:b}.pf-m-gap{a:b}'
    expect(pruneStyles(css, { scripts: 'css(`pf-m-width-${n}`)', styles: '' })).toBe('.pf-m-width-10{a:b}')
  })

  test('for classes that are named and never set go, with their parts', () => {
    const css = '.pf-v6-c-form{a:b}.pf-v6-c-form__group{a:b}.pf-v6-c-form-control{a:b}'
    const scripts = 'pf-v6-c-form pf-v6-c-form__group pf-v6-c-form-control'
    expect(pruneStyles(css, { scripts, styles: '', unset: ['pf-v6-c-form'] })).toBe('.pf-v6-c-form-control{a:b}')
  })
})

test('the italics of a family that is slanted go, its upright face and those of others stay', () => {
  const face = (family: string, style: string): string =>
    `@font-face{font-family:"${family}";font-style:${style};src:url(a)}`
  const css = face('Red Mono', 'normal') + face('Red Mono', 'italic') + face('Red Text', 'italic')
  expect(pruneStyles(css, { ...NOBODY, slanted: ['Red Mono'] })).toBe(
    face('Red Mono', 'normal') + face('Red Text', 'italic'),
  )
})

describe('custom properties', () => {
  test.each([
    [':root{--pf-a:1}', '', 'that nobody reads'],
    [':root{--pf-a:1}a{b:var(--pf-a)}', ':root{--pf-a:1}a{b:var(--pf-a)}', 'that a declaration reads'],
    [':root{--pf-a:var(--pf-b);--pf-b:1}', '', 'that only one reads which nobody reads'],
    [':root{--pf-a:var(--pf-b);--pf-b:var(--pf-a)}', '', 'that read each other'],
    [':root{--mine:var(--pf-a);--pf-a:1}', ':root{--mine:var(--pf-a);--pf-a:1}', 'that one of our own reads'],
    [
      'a{b:var(--pf-a,var(--pf-b))}:root{--pf-b:1}',
      'a{b:var(--pf-a,var(--pf-b))}:root{--pf-b:1}',
      'instead of another',
    ],
  ])('%s', (css, want) => {
    expect(pruneStyles(css, NOBODY)).toBe(want)
  })

  test.each([
    ['scripts', 'style["--pf-a-b"]=1'],
    ['scripts', '`--pf-a-${name}`'],
    ['styles', '.mine{color:var(--pf-a-b)}'],
  ])('that %s read elsewhere stay: %s', (where, text) => {
    const css = ':root{--pf-a-b:1}'
    expect(pruneStyles(css, { ...NOBODY, [where]: text })).toBe(css)
  })
})

test.each([
  ['a{b:c', 'end inside a'],
  ['a}', 'nothing opened'],
  ['a{b:"c}', 'inside a quotation'],
])('styles that are broken are refused: %s', (css, says) => {
  expect(() => pruneStyles(css, NOBODY)).toThrow(says)
})

test('what is left has nothing more to leave out', () => {
  const rule = fc
    .tuple(
      fc.constantFrom('.pf-m-a', '.pf-m-b', '.mine', '.pf-m-a .pf-m-b', ':root'),
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom('a', 'b', 'c'),
    )
    .map(([selector, name, read]) => `${selector}{--pf-${name}:var(--pf-${read});color:var(--pf-${read})}`)
  fc.assert(
    fc.property(fc.array(rule), fc.constantFrom('', 'pf-m-a', 'pf-m-a pf-m-b', '--pf-a'), (rules, scripts) => {
      const once = pruneStyles(rules.join(''), { scripts, styles: '' })
      expect(pruneStyles(once, { scripts, styles: '' })).toBe(once)
      if (scripts === 'pf-m-a pf-m-b') expect(once.split('}')).toHaveLength(rules.length + 1)
    }),
  )
})

test('a class of a property counts as set when any page uses the property', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daytwo-pages-'))
  mkdirSync(join(folder, 'ui'))
  writeFileSync(join(folder, 'ui', 'a.tsx'), '<Button isBlock />')
  expect(unsetClasses(folder)).toContain('pf-m-circle')
  expect(unsetClasses(folder)).not.toContain('pf-m-block')
  rmSync(folder, { recursive: true })
})
