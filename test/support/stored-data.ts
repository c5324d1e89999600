/**
 * The stored data directory of an earlier version, `test/golden/stored-data`: opened by the present version, which
 * answers the same requests. `scripts/make-stored-data.ts` makes it. Time is given, so that no answer depends on the
 * day of the run.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { App, startApp } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { FakeClock } from './fake-clock.ts'

export const STORED_DATA = resolve(import.meta.dirname, '../golden/stored-data')
/** The store's one file, compressed. */
export const DATABASE_FILE = join(STORED_DATA, 'daytwo.db.br')
export const ANSWERS_FILE = join(STORED_DATA, 'answers.json')

/** Relative, so that it is the same for everybody: the states of alerts are kept by the path of their file. */
const CONTENT = relative(process.cwd(), join(STORED_DATA, 'content'))

export interface StoredAnswers {
  /** The version of the program that wrote the data and gave the answers. */
  readonly commit: string
  /** When the requests were answered. */
  readonly nowMs: number
  /** A token of the role admin that is in the data. */
  readonly token: string
  readonly answers: readonly Answer[]
}

export interface Answer {
  /** Path and query of a GET. */
  readonly request: string
  readonly status: number
  /** JSON as it is, text as its lines. */
  readonly body: unknown
}

/** @param data a folder of its own, which becomes the data directory */
export function unpackStoredData(data: string): void {
  writeFileSync(join(data, 'daytwo.db'), brotliDecompressSync(readFileSync(DATABASE_FILE)))
}

/** Starts the app on a data directory, with rules, runbooks and dashboards of the fixture: the shipped ones may change. */
export function openStoredData(
  start: typeof startApp,
  data: string,
  clock: FakeClock,
  more: Readonly<Record<string, string>> = {},
): Promise<App> {
  const options = {
    ...{ listen: '127.0.0.1:0', data, 'external.url': 'https://daytwo.example' },
    ...{ 'own-metrics': 'false', 'content.watch': 'false', 'log.level': 'silent' },
    ...{ rules: `${CONTENT}/rules`, runbooks: `${CONTENT}/runbooks`, dashboards: `${CONTENT}/dashboards` },
    ...more,
  }
  const config = readConfig(new Map(Object.entries(options)), undefined, {})
  return start({ config, clock, log: silentLog, isDemo: false })
}

/**
 * Opens stored data at a time, derives what is due, runs one cycle (facts, rules, notifications), and sends the requests. Flush and retention
 * run on the clock's timers and do not happen.
 */
export async function answersOf(
  start: typeof startApp,
  data: string,
  { nowMs, token }: Pick<StoredAnswers, 'nowMs' | 'token'>,
  requests: readonly string[],
): Promise<readonly Answer[]> {
  const app = await openStoredData(start, data, new FakeClock(nowMs))
  try {
    // A slow machine may need several cycles to derive everything.
    while ((await app.deriveFacts()).waiting > 0) continue
    await app.runCycle()
    const answers: Answer[] = []
    for (const request of requests) answers.push(await get(app.url, token, request))
    return answers
  } finally {
    await app.stop()
  }
}

export async function get(url: string, token: string, request: string): Promise<Answer> {
  const response = await fetch(new URL(request, url), { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { request, status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text.split('\n') }
}

/** Fields of an answer that legitimately differ between runs. */
export const NOT_COMPARED: readonly { readonly place: RegExp; readonly why: string }[] = [
  { place: /\.(evaluationTime|evaluationMs)$/, why: 'how long the evaluation took on this machine' },
]

/**
 * One line for each value of `want` that is missing or different in `got`. An object may have additional fields: a
 * renamed field is served under both names.
 */
export function differencesOf(want: unknown, got: unknown, place = ''): readonly string[] {
  if (NOT_COMPARED.some((one) => one.place.test(place))) return []
  if (Array.isArray(want) && Array.isArray(got)) {
    const items = want.flatMap((item, i) => (i < got.length ? differencesOf(item, got[i], `${place}[${i}]`) : []))
    return want.length === got.length ? items : [`${place}: ${got.length} items, want ${want.length}`, ...items]
  }
  if (isRecord(want) && isRecord(got)) {
    return Object.entries(want).flatMap(([key, value]) =>
      Object.hasOwn(got, key) ? differencesOf(value, got[key], `${place}.${key}`) : [`${place}.${key}: missing`],
    )
  }
  return Object.is(want, got) ? [] : [`${place}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
