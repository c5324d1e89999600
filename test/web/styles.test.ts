import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cssModules } from '../../scripts/css-module-names.ts'

// What a browser pays for a rule, it pays on every page; what a reader of the sources pays for a class, in every search.

const WEB = resolve(import.meta.dirname, '../../src/web')
const ASSETS = resolve(import.meta.dirname, '../../dist/web/assets')

/** Classes that any component may use. A class of one component belongs in a module beside it, so this only shrinks. */
const GLOBAL_CLASSES_MAX = 240

const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
const textOf = (path: string): string => readFileSync(join(WEB, path), 'utf8')

/** Classes that the selectors of a sheet name; in a module without those in `:global()`. */
function classesOf(css: string): ReadonlySet<string> {
  const plain = css.replaceAll(/\/\*[^]*?\*\//g, '')
  const selectors = [...plain.matchAll(/(?:^|[{};])([^{};@]+)\{/g)].map((match) => match[1]!)
  const own = selectors.map((selector) => selector.replaceAll(/:global\((?:[^()]|\([^()]*\))*\)/g, ''))
  return new Set(own.flatMap((selector) => [...selector.matchAll(/\.([A-Za-z_][\w-]*)/g)].map((match) => match[1]!)))
}

interface Use {
  /** Whole names, and with `isBegin` how a name begins whose end is computed. */
  readonly name: string
  readonly isBegin: boolean
  readonly file: string
}

const scripts = sources.filter((path) => /\.tsx?$/.test(path))

/** How the scripts use the module: `styles.row`, `styles['row']` and `styles[`kind-${kind}`]`. */
function usesOf(module: string): readonly Use[] {
  return scripts.flatMap((file) => {
    const text = textOf(file)
    const imported = [...text.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].find(
      (match) => relative(WEB, resolve(WEB, dirname(file), match[2]!)) === module,
    )
    if (imported === undefined) return []
    const local = imported[1]!
    const uses = [...text.matchAll(new RegExp(`\\b${local}(?:\\.(\\w+)|\\[(['\`])([^'\`$\\]]*)(\\$\\{)?)`, 'g'))]
    const other = text.match(new RegExp(`\\b${local}\\[(?!['\`])[^\\]]*\\]`, 'g')) ?? []
    expect(other, `${file} computes a whole class name, which nothing can check`).toEqual([])
    return uses.map((match) => ({ name: match[1] ?? match[3]!, isBegin: match[4] !== undefined, file }))
  })
}

const modules = sources.filter((path) => path.endsWith('.module.css')).sort()
const globalSheets = sources.filter((path) => path.endsWith('.css') && !path.endsWith('.module.css'))

/** Every class of every module, by the name that it has in the pages. */
const made = modules.flatMap((path) =>
  [...classesOf(textOf(path))].map((name) => ({ name: cssModules.generateScopedName(name, path), path })),
)

describe('CSS modules', () => {
  test.each(modules)('%s has the classes that its components use, and no other', (module) => {
    const defined = [...classesOf(textOf(module))]
    const uses = usesOf(module)
    const isUsed = (name: string): boolean =>
      uses.some((use) => (use.isBegin ? name.startsWith(use.name) : name === use.name))
    const isDefined = (use: Use): boolean =>
      use.isBegin ? defined.some((name) => name.startsWith(use.name)) : defined.includes(use.name)
    expect({
      unused: defined.filter((name) => !isUsed(name)),
      missing: uses.filter((use) => !isDefined(use)).map(({ name, file }) => `${file} uses ${name}`),
    }).toEqual({ unused: [], missing: [] })
  })

  test('a module stands beside the component of its name', () => {
    expect(modules.filter((path) => !sources.includes(path.replace(/\.module\.css$/, '.tsx')))).toEqual([])
  })

  test('no two modules make the same class name', () => {
    const owners = new Map<string, Set<string>>()
    for (const { name, path } of made) owners.set(name, (owners.get(name) ?? new Set()).add(path))
    expect([...owners].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths])).toEqual([])
  })

  test('no component writes the name that a module makes', () => {
    const names = new Set(made.map(({ name }) => name))
    const written = scripts.flatMap((file) =>
      [...textOf(file).matchAll(/\bclassName="([^"]*)"/g)]
        .flatMap((match) => match[1]!.split(' '))
        .filter((name) => names.has(name))
        .map((name) => `${file} writes ${name}`),
    )
    expect(written).toEqual([])
  })
})

test('global classes get fewer', () => {
  // Paper is about all parts at once: this sheet names classes and defines none.
  const defining = globalSheets.filter((path) => !path.endsWith('/print.css'))
  const global = new Set(defining.flatMap((path) => [...classesOf(textOf(path))]))
  for (const { name } of made) global.delete(name)
  expect(global.size).toBeLessThanOrEqual(GLOBAL_CLASSES_MAX)
})

test('no rule is about any element after any other', () => {
  // `* + *` styles a whole parent anew whenever a child comes or goes, in each list of each page; `td + td` all cells of a table.
  const styles = readdirSync(ASSETS).filter((name) => name.endsWith('.css'))
  expect(styles.length).toBeGreaterThan(0)
  const selectors = styles.flatMap((name) => readFileSync(join(ASSETS, name), 'utf8').split(/[{}]/))
  expect(selectors.filter((selector) => ANY_SIBLING.test(selector))).toEqual([])
})

/** Before the combinator stand names of elements alone: no class, no attribute. `:nth-child(n+3)` has no combinator. */
const ANY_SIBLING = /(?:^|[\s>(,])(?:\*|[a-z]\w*|:(?:is|where)\([\w\s,*]*\))\s*[+~](?!\d)/
