import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { unsetClasses } from './patternfly-unset.ts'
import { pruneStyles } from './prune-styles.ts'

const LIBRARY_STYLES = /\/@patternfly\/.*\.css$/
/** The one that all others stand upon. */
const BASE_STYLES = /\/base\.css$/
/** Every page shows these, at every width; a browser warns of what it asked for early and did not use. */
const FIRST_FONTS = /\/RedHat(?:Text|Display)VF\.woff2$/
/** Keywords of a query would be missing, or jump, until a face of their own has come. */
const SLANTED = ['Red Hat Mono']
const PAGE = 'index.html'
/** The module that stands for styles that were taken out. */
const TAKEN = '\0library-styles'
const HASH_LENGTH = 8

/**
 * What a browser has before the first script runs: the library's styles without what nobody uses, in one file, and the
 * fonts, asked for with the page. Text that is there before its font is shaped, laid out and drawn a second time when it comes.
 *
 * The styles are taken out of the scripts' graph: what is left of them depends on all scripts, and so does their name. The
 * page alone may name them, since it is never kept; a script that did would be another one under the same name.
 *
 * @param sources folder of the pages' sources
 */
export function firstScreen(sources: string): Plugin {
  const library = new Map<string, string>()
  return {
    name: 'first-screen',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\.css$/ },
      async handler(source, importer) {
        const file = (await this.resolve(source, importer, { skipSelf: true }))?.id
        if (file === undefined || !LIBRARY_STYLES.test(file)) return undefined
        library.set(file, withWholePaths(withoutAnySibling(readFileSync(file, 'utf8')), dirname(file)))
        return TAKEN
      },
    },
    load: { filter: { id: /^\0library-styles$/ }, handler: () => '' },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle[PAGE]
        if (page?.type !== 'asset') throw new Error(`there is no ${PAGE}`)
        const texts = (ending: RegExp): string =>
          Object.values(bundle)
            .map((file) => (ending.test(file.fileName) ? textOf(file) : ''))
            .join('\n')
        const pruned = pruneStyles(inOrder(library), {
          scripts: texts(/\.(?:js|html)$/),
          styles: texts(/\.css$/),
          unset: unsetClasses(sources),
          slanted: SLANTED,
        })
        const emit = (path: string, source: string | Buffer): string => {
          const hash = createHash('sha256').update(source).digest('base64url').slice(0, HASH_LENGTH)
          const fileName = `assets/${basename(path, extname(path))}-${hash}${extname(path)}`
          this.emitFile({ type: 'asset', fileName, source })
          return `/${fileName}`
        }
        const fonts: string[] = []
        const css = pruned.replace(WHOLE_PATH, (_all, path: string) => {
          const address = emit(path, readFileSync(path))
          if (FIRST_FONTS.test(path)) fonts.push(address)
          return `url(${address})`
        })
        page.source = withLinks(textOf(page), [
          ...fonts.map((font) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${font}">`),
          `<link rel="stylesheet" crossorigin href="${emit('patternfly.css', css)}">`,
        ])
      },
    },
  }
}

/**
 * PatternFly's `parent > * + *` in words that match the same and weigh the same. Where any element may follow any other, a
 * browser styles the whole parent anew whenever a child comes or goes, in every list of every page: of 10,000 clusters
 * scrolled that was half of a frame. `test/web/styles.test.ts` holds that none is left.
 */
function withoutAnySibling(css: string): string {
  return css.replaceAll(/> \* \+ \*/g, '> :where(:not(:first-child))')
}

/** The library's styles while one works on the pages: all of them. */
export function libraryStyles(): Plugin {
  return {
    name: 'library-styles',
    apply: 'serve',
    enforce: 'pre',
    transform: { filter: { id: LIBRARY_STYLES }, handler: withoutAnySibling },
  }
}

const OWN_URL = /url\((["']?)(\.[^"')]+)\1\)/g
const WHOLE_PATH = /url\((\/[^)]+)\)/g

function withWholePaths(css: string, folder: string): string {
  return css.replace(OWN_URL, (_all, _quote: string, path: string) => `url(${resolve(folder, path)})`)
}

/** The library's own order: by name, after the base. */
function inOrder(styles: ReadonlyMap<string, string>): string {
  const rank = (id: string): string => (BASE_STYLES.test(id) ? '' : id)
  return [...styles]
    .sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))
    .map(([, css]) => css)
    .join('\n')
}

type Output =
  { readonly type: 'chunk'; readonly code: string } | { readonly type: 'asset'; readonly source: string | Uint8Array }

function textOf(file: Output): string {
  if (file.type === 'chunk') return file.code
  return typeof file.source === 'string' ? file.source : Buffer.from(file.source).toString('utf8')
}

/** Before the first styles of our own, which stand upon the library's. */
function withLinks(html: string, links: readonly string[]): string {
  const at = html.search(/^.*<link rel="stylesheet"/m)
  if (at < 0) throw new Error('the page has no styles')
  return html.slice(0, at) + links.map((link) => `    ${link}\n`).join('') + html.slice(at)
}
