import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

interface PagePattern {
  readonly pattern: RegExp
  /** Of a module in `pages/`, without its ending. */
  readonly file: string
}

/**
 * A script at the head of the page that asks for the parts of the page whose address it is, while the program that will
 * import them is still on its way, and for those of each page that is navigated to. Made by the build, because only that knows what the parts are called.
 */
export function pageParts(patterns: readonly PagePattern[]): Plugin {
  return {
    name: 'page-parts',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html']
        if (page?.type !== 'asset' || typeof page.source !== 'string') throw new Error('there is no index.html')
        const html = page.source
        const partsOf = (name: string, found: Set<string>): void => {
          const chunk = bundle[name]
          if (found.has(name) || html.includes(name) || chunk?.type !== 'chunk') return
          found.add(name)
          for (const other of chunk.imports) partsOf(other, found)
        }
        const rows = patterns.map(({ pattern, file }) => {
          const chunk = Object.values(bundle).find(
            (one) => one.type === 'chunk' && one.facadeModuleId?.endsWith(`/pages/${file}.tsx`) === true,
          )
          if (chunk === undefined) throw new Error(`no script begins with pages/${file}.tsx`)
          const found = new Set<string>()
          partsOf(chunk.fileName, found)
          return `[${pattern},${JSON.stringify([...found].filter((part) => !html.includes(part)))}]`
        })
        // Not `(r` first: the server's compression takes those two bytes for a deflated file, and sends it as it is.
        const source = `;${ASK}([${rows.join(',\n')}])\n`
        const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
        const fileName = `assets/page-parts-${hash}.js`
        this.emitFile({ type: 'asset', fileName, source })
        page.source = html.replace(/(?=^.*<script type="module")/m, `    <script src="/${fileName}"></script>\n`)
      },
    },
  }
}

/** Again at each navigation: `pushState` is the router's event, sent before it renders. */
const ASK = `(rows => {
  const asked = new Set()
  const ask = () => {
    const [, parts] = rows.find(([pattern]) => pattern.test(location.pathname)) ?? [0, []]
    for (const part of parts) {
      if (asked.has(part)) continue
      asked.add(part)
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.crossOrigin = ''
      link.href = '/' + part
      document.head.append(link)
    }
  }
  ask()
  addEventListener('pushState', ask)
})`
