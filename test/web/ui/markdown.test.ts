import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { createElement, Fragment } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { createMarker, type Markable } from '../../../src/web/lib/mark-values.ts'
import { parseBlocks } from '../../../src/web/lib/runbook-blocks.ts'
import { Markdown } from '../../../src/web/ui/markdown.tsx'

/** What is inside the page as text; blocks and links show what reached them. */
function render(markdown: string, markable: Markable = { bindings: [], unbound: [] }): string {
  const page = renderToStaticMarkup(
    createElement(Markdown, {
      blocks: parseBlocks(markdown),
      slots: {
        sectionLevel: 3,
        mark: createMarker(markable),
        renderBlock: (block, key) => createElement('pre', { key }, block.kind),
        renderLink: (href, children) => createElement(Fragment, null, '{', children, `->${href}}`),
      },
    }),
  )
  return /^<div class="[^"]*">([^]*)<\/div>$/.exec(page)![1]!
}

describe('Markdown', () => {
  test.each([
    ['a **b** _c_ ~~d~~ `e`', '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>'],
    [
      '# Title\n\n## Meaning\n\n### Part',
      '<h3 id="meaning" tabindex="-1">Meaning</h3><h4 id="part" tabindex="-1">Part</h4>',
    ],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['- a\n\n  ```bash oc\n  x\n  ```', '<ul><li><p>a</p><pre>cli</pre></li></ul>'],
    ['> q', '<blockquote><p>q</p></blockquote>'],
    ['[a **b**](https://x.example)', '<p>{a <strong>b</strong>-&gt;https://x.example}</p>'],
    ['![alt text](https://x.example/y.png)', '<p>alt text</p>'],
    ['a  \nb', '<p>a<br/>b</p>'],
    ['a &lt;b&gt; &amp; c', '<p>a &lt;b&gt; &amp; c</p>'],
  ])('%j', (markdown, html) => {
    expect(render(markdown)).toBe(html)
  })

  test.each([
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '<a href="javascript:alert(1)">x</a>',
    '<iframe src="https://x"></iframe>\n\ntext',
  ])('HTML is shown as text: %s', (markdown) => {
    expect(render(markdown)).not.toMatch(/<(script|img|a|iframe)\b/)
    expect(render(markdown)).toContain('&lt;')
  })

  test('a value is marked although the lexer cuts it at an escape', () => {
    const markable = { bindings: [{ name: 'cluster', value: 'prod_1*', source: 'the label' }], unbound: ['vmi'] }
    expect(render('on prod\\_1\\* get \\<vmi\\> and <vmi> and `<vmi>`', markable)).toBe(
      '<p>on <mark class="filled" title="cluster, from the label">prod_1*</mark> get ' +
        ['</mark> and ', '</mark> and <code>', '</mark></code></p>']
          .map((after) => `<mark class="unbound" title="vmi: value not known, enter it by hand">&lt;vmi&gt;${after}`)
          .join(''),
    )
  })

  test('no text becomes an element of another kind', () => {
    const known =
      /^(p|h3|h4|h5|h6|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|div|strong|em|del|code|pre|br|hr|span|mark)$/
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const html = render(`${before}<x onclick=1>&lt;b&gt;[a](${after})`)
        for (const [, name] of html.matchAll(/<\/?([a-z0-9]+)/gi)) expect(name).toMatch(known)
      }),
    )
  })
})

describe('our runbooks', () => {
  const folder = resolve(import.meta.dirname, '../../../runbooks')
  test.each(readdirSync(folder).filter((name) => name.endsWith('.md')))('%s is shown whole', (name) => {
    const markdown = readFileSync(join(folder, name), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
    const html = render(markdown)
    for (const section of ['meaning', 'impact', 'diagnosis', 'mitigation']) expect(html).toContain(`id="${section}"`)
    // What Markdown did not understand would stand there as its own signs.
    expect(html.replaceAll(/<code>.*?<\/code>/g, '')).not.toMatch(/```|\*\*|\]\(/)
  })
})
