/** The pages of the documentation: the Markdown files of one folder, listed at the start and read when they are shown. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { docAddress, docHtml, pathOfFile, type DocHtml } from './doc-html.ts'

export interface DocPages {
  /** In the order of the table of contents. */
  readonly contents: readonly DocGroup[]
  /** `undefined`: there is no such page. @param path below the folder, without `.md`; the empty text is the index */
  read(path: string): DocHtml | undefined
}

/** The pages of a folder: `Operating`, or the pages beside the index. */
export interface DocGroup {
  readonly title: string
  readonly pages: readonly { readonly path: string; readonly address: string; readonly title: string }[]
}

/** What a reader needs first comes first; folders and pages that are not listed follow by name. */
const ORDER = ['', 'getting-started', 'concepts', 'faq', 'operating', 'integrations', 'reference']

/** @param dir the folder; where it is missing there are no pages */
export function loadDocs(dir: string): DocPages {
  const files = existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []
  const texts = new Map(
    files.flatMap((name) => {
      const file = name.split(sep).join('/')
      const path = pathOfFile(file)
      return path === undefined ? [] : [[path, readFileSync(join(dir, name), 'utf8')] as const]
    }),
  )
  const shown = new Map<string, DocHtml>()
  return {
    contents: groupsOf(texts),
    read: (path) => {
      const text = texts.get(path)
      if (text === undefined) return undefined
      const page = shown.get(path) ?? docHtml(path, text, (other) => texts.has(other))
      shown.set(path, page)
      return page
    },
  }
}

function groupsOf(texts: ReadonlyMap<string, string>): readonly DocGroup[] {
  const groups = new Map<string, { path: string; address: string; title: string }[]>()
  for (const [path, text] of [...texts].sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))) {
    const folder = path.includes('/') ? path.split('/')[0]! : ''
    const pages = groups.get(folder) ?? []
    groups.set(folder, pages)
    pages.push({ path, address: docAddress(path), title: titleOf(path, text) })
  }
  return [...groups].map(([folder, pages]) => ({ title: folder === '' ? 'Start' : capitalised(folder), pages }))
}

/** Pages beside the index come before folders. */
function placeOf(path: string): number {
  const [first = ''] = path.split('/')
  const at = ORDER.indexOf(first)
  return (path.includes('/') ? ORDER.length : 0) + (at === -1 ? ORDER.length - 1 : at)
}

function titleOf(path: string, text: string): string {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? path
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
