import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { pick, type Random } from './mutate.ts'

/** Queries that mutations start from, and what becomes of them. */

const ROOT = resolve(import.meta.dirname, '../..')
/** Upstream's scripts, where they are kept beside the project. */
const UPSTREAM = resolve(ROOT, '../shared/promqltest')

/** All queries of the project's scripts, rules and dashboards, and of upstream's scripts when they are there; no repeats. */
export function querySeeds(): string[] {
  const scripts = [join(ROOT, 'test/promql/scripts'), UPSTREAM]
    .flatMap((dir) => filesOf(dir, '.test'))
    .flatMap(evaluated)
  const contents = ['alert-rules', 'dashboards'].flatMap((dir) => filesOf(join(ROOT, dir), '.yaml'))
  const documents = contents.flatMap((path) => textsIn(parse(readFileSync(path, 'utf8')), new Set(['expr', 'query'])))
  return [...new Set([...scripts, ...documents])].sort()
}

function filesOf(dir: string, extension: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => name.endsWith(extension))
    .map((name) => join(dir, name))
}

function evaluated(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => /^eval\w* (?:instant at \S+|range from \S+ to \S+ step \S+)\s+(\S.*)$/.exec(line)?.[1] ?? [])
}

/** Values of some keys, wherever they are. */
function textsIn(value: unknown, keys: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === 'string' ? (keys.has(key) ? [item.trim()] : []) : textsIn(item, keys),
  )
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[A-Za-z_:][\w:]*|\d[\w.]*|=~|!~|==|!=|<=|>=|\s+|./gsu

export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? []
}

/** Words of the language that seeds have seldom, and texts that are none. */
const ODD = [
  ...'by without on ignoring group_left group_right bool offset and or unless atan2 start end inf nan NaN -Inf'.split(
    ' ',
  ),
  ...'( ) [ ] { } , : @ - + ^ % =~ !~ = != 0 1 -1 1e308 -0 0x1F 1_000 5m 1h30m 1ms 0s 100y [5m] [5m:] [5m:1s] {} {a=""}'.split(
    ' ',
  ),
  ...'rate increase sum topk quantile count_values histogram_quantile label_replace absent_over_time scalar vector'.split(
    ' ',
  ),
  ...'limitk info anchored smoothed fill step() range() max_of'.split(' '),
  ...['"', "'", '`', '\\', '#', ';', '\u0000', 'é', '😀', '\u2028', '""', '"("', '"\\xff"', '"a.b"', '{"a.b"}'],
  ...['999999999999', '1e-300', '@ 1e300', '@ start()', 'offset -5m', 'offset 5m', ' ', '\n'],
]

type Mutation = (tokens: string[], random: Random, dictionary: readonly string[]) => string[]

const MUTATIONS: readonly Mutation[] = [
  (tokens, random) => tokens.toSpliced(random(tokens.length), 1 + random(2)),
  (tokens, random, dictionary) => tokens.toSpliced(random(tokens.length + 1), 0, pick(random, dictionary)),
  (tokens, random, dictionary) => tokens.with(random(tokens.length), pick(random, dictionary)),
  (tokens, random, dictionary) => tokens.with(random(tokens.length), pick(random, dictionary)),
  (tokens, random) => tokens.toSpliced(random(tokens.length + 1), 0, pick(random, ODD)),
  (tokens, random) => tokens.with(random(tokens.length), pick(random, ODD)),
  (tokens, random) => {
    const [a, b] = [random(tokens.length), random(tokens.length)]
    return tokens.with(a, tokens[b]!).with(b, tokens[a]!)
  },
  (tokens, random) => {
    const from = random(tokens.length)
    const part = tokens.slice(from, from + 1 + random(tokens.length - from))
    return tokens.toSpliced(random(tokens.length + 1), 0, ...part)
  },
  (tokens, random) => {
    const at = random(tokens.length)
    const token = tokens[at]!
    const inside = random(token.length + 1)
    return tokens.with(at, token.slice(0, inside) + String.fromCodePoint(random(128)) + token.slice(inside + random(2)))
  },
]

/** Kinds of ways in which a whole query becomes part of a larger one. */
const WRAPS = [
  '(Q)',
  '-(Q)',
  'sum(Q)',
  'avg by (job) (Q)',
  'topk(2, Q)',
  'max_over_time((Q)[2m:30s])',
  'rate((Q)[5m:])',
  '(Q) + (Q)',
  '(Q) and (Q)',
  '(Q) or vector(1)',
  '(Q) > bool 1',
  'label_replace(Q, "a", "$1", "job", "(.*)")',
  'absent(Q)',
  'histogram_quantile(0.9, Q)',
  'scalar(Q)',
  'count_values("v", Q)',
]

/** A query made of a seed; sometimes it is none any more. */
export function mutatedQuery(random: Random, seeds: readonly string[], dictionary: readonly string[]): string {
  let tokens = tokensOf(pick(random, seeds))
  for (let i = random(4); i > 0 && tokens.length > 0; i--) tokens = pick(random, MUTATIONS)(tokens, random, dictionary)
  let text = tokens.join('')
  for (let i = random(3); i > 0 && text.length < 2000; i--) text = pick(random, WRAPS).replaceAll('Q', () => text)
  if (random(2000) === 0) text = `${'('.repeat(random(400))}${text}${')'.repeat(random(400))}`
  return text
}
