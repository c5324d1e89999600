/**
 * Leaves out of a library's styles what no page can ask for: rules for classes that no script names, and custom properties
 * that nothing reads. Only names that begin as the library's do are looked at; what cannot be told stays.
 *
 * PatternFly ships each token for each of its themes, half a megabyte, of which these pages use a tenth.
 */

/** A rule or an at-rule with what stands inside it, or a declaration. Texts are as they were. */
type Item = Block | string

interface Block {
  readonly prelude: string
  readonly items: readonly Item[]
}

export interface Reader {
  /** All scripts and pages: a class or a property is theirs when its name stands there. */
  readonly scripts: string
  /** All other styles. */
  readonly styles: string
  /** Classes that scripts name and no page sets, with what BEM puts below them. */
  readonly unset?: readonly string[]
  /** Families whose italics come from the upright face, slanted by the browser: their own face is another file to wait for. */
  readonly slanted?: readonly string[]
}

const OWN_CLASS = /\.(pf-(?:v6-|m-)[\w-]+)/g
const OWN_PROPERTY = /^\s*(--pf-[\w-]+)\s*:/
const PROPERTY_NAMES = /--pf-[\w-]+/g

/** @param css of the library, as it is written; the result has no comments and no space that says nothing */
export function pruneStyles(css: string, { scripts, styles, unset = [], slanted = [] }: Reader): string {
  const named = new Set(scripts.match(/pf-[\w-]+/g) ?? [])
  // `pf-m-${size}`: any class that begins so.
  const begun = [...named].filter((name) => name.endsWith('-'))
  const isUnset = (name: string): boolean => unset.some((one) => name === one || name.startsWith(`${one}__`))
  const isNamed = (name: string): boolean =>
    !isUnset(name) && (named.has(name) || begun.some((begin) => name.startsWith(begin)))
  const possible = parseItems(plain(css))
    .filter((item) => !isItalicOf(item, slanted))
    .flatMap((item) => possibleOf(item, isNamed))
  const outside = `${scripts}${styles}`.match(PROPERTY_NAMES) ?? []
  return textOf(withoutUnread(possible, outside))
}

/** Quoted texts stay as they are. */
function plain(css: string): string {
  return css.replace(/("[^"]*"|'[^']*')|\/\*[^]*?\*\/|\s+/g, (all, quoted?: string) => {
    return quoted ?? (all.startsWith('/*') ? '' : ' ')
  })
}

/** What `css` consists of. A semicolon or a brace inside brackets or quotes ends nothing. */
function parseItems(css: string): readonly Item[] {
  const open: { readonly prelude: string; readonly items: Item[] }[] = [{ prelude: '', items: [] }]
  let start = 0
  const take = (end: number): string => {
    const text = css.slice(start, end).trim()
    start = end + 1
    return text
  }
  for (let at = skipTo(css, 0); at < css.length; at = skipTo(css, at + 1)) {
    const text = take(at)
    const { items } = open.at(-1)!
    if (css[at] === '{') {
      open.push({ prelude: text, items: [] })
      continue
    }
    if (text !== '') items.push(text)
    if (css[at] === ';') continue
    const done = open.pop()!
    if (open.length === 0) throw new Error(`styles close a brace at ${at} that nothing opened`)
    open.at(-1)!.items.push(done)
  }
  if (open.length > 1) throw new Error(`styles end inside ${open.at(-1)!.prelude}`)
  const rest = css.slice(start).trim()
  return rest === '' ? open[0]!.items : [...open[0]!.items, rest]
}

/** The next `{`, `}` or `;` that ends something, or the end. */
function skipTo(css: string, from: number): number {
  let depth = 0
  for (let at = from; at < css.length; at++) {
    const char = css[at]!
    if (char === '\\') at++
    else if (char === '"' || char === "'") at = css.indexOf(char, at + 1)
    else if (char === '(' || char === '[') depth++
    else if (char === ')' || char === ']') depth--
    else if (depth === 0 && (char === '{' || char === '}' || char === ';')) return at
    if (at < 0) throw new Error('styles end inside a quotation')
  }
  return css.length
}

function isItalicOf(item: Item, families: readonly string[]): boolean {
  if (typeof item === 'string' || !item.prelude.startsWith('@font-face')) return false
  const says = (property: string, value: string): boolean =>
    item.items.some((one) => typeof one === 'string' && one.replaceAll(/\s|["']/g, '') === `${property}:${value}`)
  return says('font-style', 'italic') && families.some((family) => says('font-family', family.replaceAll(' ', '')))
}

/** The same without selectors that can match nothing; empty when none is left. */
function possibleOf(item: Item, isNamed: (name: string) => boolean): readonly Item[] {
  if (typeof item === 'string') return [item]
  const { prelude, items } = item
  if (/^@(?:keyframes|font-face|property)/.test(prelude)) return [item]
  const inside = items.flatMap((one) => possibleOf(one, isNamed))
  if (inside.length === 0) return []
  if (prelude.startsWith('@')) return [{ prelude, items: inside }]
  const selectors = splitList(prelude).filter((selector) => canMatch(selector, isNamed))
  return selectors.length === 0 ? [] : [{ prelude: selectors.join(','), items: inside }]
}

/** False when it asks for a class that nobody ever sets. What stands in `:not()`, and choices, are no such demand. */
function canMatch(selector: string, isNamed: (name: string) => boolean): boolean {
  const demands = selector.replace(
    /:(not|is|where|has)\(((?:[^()]|\([^()]*\))*)\)/g,
    (_all, kind: string, inner: string) => (kind === 'not' || splitList(inner).length > 1 ? '' : inner),
  )
  return [...demands.matchAll(OWN_CLASS)].every((match) => isNamed(match[1]!))
}

/** Parts between commas that are not inside brackets. */
function splitList(list: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < list.length; at++) {
    if (list[at] === '(' || list[at] === '[') depth++
    else if (list[at] === ')' || list[at] === ']') depth--
    else if (list[at] === ',' && depth === 0) {
      parts.push(list.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, list.slice(start)].map((part) => part.trim())
}

/** Drops declarations of own properties that nothing reads, but for others that are dropped as well. */
function withoutUnread(items: readonly Item[], outside: readonly string[]): readonly Item[] {
  const reads = new Map<string, string[]>()
  const toVisit = [...outside]
  for (const declaration of declarationsOf(items)) {
    const name = OWN_PROPERTY.exec(declaration)?.[1]
    const read = declaration.match(PROPERTY_NAMES) ?? []
    if (name === undefined) toVisit.push(...read)
    else reads.set(name, [...(reads.get(name) ?? []), ...read.slice(1)])
  }
  // `--pf-v6-c-table--column-${n}`: any property that begins so.
  const begun = outside.filter((name) => name.endsWith('-'))
  toVisit.push(...[...reads.keys()].filter((name) => begun.some((begin) => name.startsWith(begin))))
  const isRead = new Set<string>()
  for (let name = toVisit.pop(); name !== undefined; name = toVisit.pop()) {
    if (isRead.has(name)) continue
    isRead.add(name)
    toVisit.push(...(reads.get(name) ?? []))
  }
  const keep = (item: Item): readonly Item[] => {
    if (typeof item === 'string') {
      const name = OWN_PROPERTY.exec(item)?.[1]
      return name === undefined || isRead.has(name) ? [item] : []
    }
    const inside = item.items.flatMap(keep)
    return inside.length === 0 ? [] : [{ prelude: item.prelude, items: inside }]
  }
  return items.flatMap(keep)
}

function declarationsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => (typeof item === 'string' ? [item] : declarationsOf(item.items)))
}

function textOf(items: readonly Item[]): string {
  return items
    .map((item, i) => {
      if (typeof item !== 'string') return `${item.prelude}{${textOf(item.items)}}`
      const isLast = i === items.length - 1
      return isLast ? item : `${item};`
    })
    .join('')
}
