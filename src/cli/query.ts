/** `daytwo query`: queries a running server, like promtool. */
import { parseTime } from '../api/prometheus/params.ts'
import { systemClock } from '../base/clock.ts'
import type { Explained } from '../contract/explain.ts'
import { inputError, parseArguments, unexpected, verbOf, type Arguments } from './arguments.ts'
import type { Command } from './command.ts'
import { NoAnswer, postForm, getData, serverOf, type Answered, type Server } from './prometheus-client.ts'
import { renderExplanation } from './render-explanation.ts'
import { renderLabelSet, renderResult, type Metric, type QueryData } from './render-result.ts'

const VALUED = new Set(['time', 'start', 'end', 'step', 'match', 'limit', 'timeout', 'format', 'token', 'token-file'])

interface Requested {
  readonly server: Server
  /** Arguments after the server's address. */
  readonly word: string
  readonly given: Arguments
}

/** The output format: `plain` as promtool's, `json` as sent by the server. */
interface Printed {
  readonly plain: string
  readonly json: unknown
  readonly notes: readonly string[]
}

/** One row per subcommand: its options, its arguments after the address, and its request. */
const QUERIES: Readonly<
  Record<
    string,
    {
      readonly word: string
      readonly options: readonly string[]
      readonly send: (asked: Requested) => Promise<Printed>
    }
  >
> = {
  instant: { word: 'EXPR', options: ['time', 'timeout', 'limit'], send: instant },
  range: { word: 'EXPR', options: ['start', 'end', 'step', 'timeout', 'limit'], send: range },
  explain: { word: 'EXPR', options: ['time', 'start', 'end', 'step', 'timeout'], send: explain },
  series: { word: '', options: ['match', 'start', 'end', 'limit'], send: series },
  labels: { word: 'NAME', options: ['match', 'start', 'end', 'limit'], send: labelValues },
}
const COMMON = ['format', 'token', 'token-file']

export const queryCommand: Command = {
  help: () =>
    [
      'Usage: daytwo query instant SERVER EXPR [--time TIME]',
      '       daytwo query range SERVER EXPR [--start TIME] [--end TIME] [--step DUR]',
      '       daytwo query explain SERVER EXPR [--time TIME | --start TIME --end TIME --step DUR]',
      '       daytwo query series SERVER --match SELECTOR... [--start TIME] [--end TIME]',
      '       daytwo query labels SERVER NAME [--match SELECTOR...] [--start TIME] [--end TIME]',
      '',
      'Queries a running server, Daytwo or Prometheus, such as http://127.0.0.1:4318. `explain` shows how Daytwo',
      'evaluates a query: the data read for each part, and its cost. `labels` prints the values of a label.',
      'Ends with 0, and with 1 when there is no answer. Warnings about a good answer go to standard error.',
      '',
      '  --time TIME, --start TIME, --end TIME',
      '      RFC 3339, or seconds since the epoch. An instant query is of now by default, a range of the last 5 minutes.',
      '  --step DUR\n      15s or seconds; by default a 250th of the range, in whole seconds.',
      '  --match SELECTOR\n      Series such as up{job="a"}; may be repeated.',
      '  --timeout DUR, --limit N\n      Passed to the server.',
      '  --format promql|json\n      json prints the data of the answer as it came (default promql)',
      '  --token TOKEN, --token-file FILE\n      Sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const given = parseArguments(args, VALUED, new Set())
    const [verb = '', address = '', word = '', ...more] = given.words
    const question = verbOf('query', QUERIES, verb)
    checkWords(verb, question, given, more)
    const format = given.options.get('format') ?? 'promql'
    if (format !== 'promql' && format !== 'json') {
      throw unexpected('option --format', format, 'promql or json')
    }
    const server = serverOf(address, given.options)
    try {
      const { plain, json, notes } = await question.send({ server, word, given })
      for (const note of notes) console.error(note)
      if (format === 'json') console.log(JSON.stringify(json))
      else if (plain !== '') console.log(plain)
      return 0
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`query error: ${thrown.message}`)
      return 1
    }
  },
}

function checkWords(
  verb: string,
  { word, options }: { readonly word: string; readonly options: readonly string[] },
  { words, lists }: Arguments,
  more: readonly string[],
): void {
  const wanted = word === '' ? 'SERVER' : `SERVER ${word}`
  if (words.length < (word === '' ? 2 : 3) || more.length > 0 || (word === '' && words.length > 2)) {
    throw inputError(
      `daytwo query ${verb}: want ${wanted}, got ${words.length - 1} words`,
      'an expression with blanks needs quotes',
    )
  }
  const foreign = [...lists.keys()].find((name) => !options.includes(name) && !COMMON.includes(name))
  if (foreign !== undefined) {
    throw inputError(
      `daytwo query ${verb} has no option --${foreign}`,
      `it has ${options.map((name) => `--${name}`).join(', ')}`,
    )
  }
}

async function instant({ server, word, given }: Requested): Promise<Printed> {
  const params = new URLSearchParams({ query: word })
  copy(given, ['time', 'timeout', 'limit'], params)
  return printed(await postForm<QueryData>(server, '/api/v1/query', params))
}

const RANGE_SECONDS = 300
/** The default number of steps of a range query. */
const STEPS = 250

async function range({ server, word, given }: Requested): Promise<Printed> {
  const params = rangeParams(word, given)
  copy(given, ['timeout', 'limit'], params)
  return printed(await postForm<QueryData>(server, '/api/v1/query_range', params))
}

function rangeParams(expr: string, { options }: Arguments): URLSearchParams {
  const endSeconds = options.has('end') ? secondsOf(options.get('end')!, 'end') : systemClock.nowMs() / 1000
  const startSeconds = options.has('start') ? secondsOf(options.get('start')!, 'start') : endSeconds - RANGE_SECONDS
  const step = options.get('step') ?? String(Math.max(1, Math.floor((endSeconds - startSeconds) / STEPS)))
  return new URLSearchParams({ query: expr, start: String(startSeconds), end: String(endSeconds), step })
}

/** A range query when one of its ends is given, otherwise an instant query. */
async function explain({ server, word, given }: Requested): Promise<Printed> {
  const isRange = given.options.has('start') || given.options.has('end') || given.options.has('step')
  const params = isRange ? rangeParams(word, given) : new URLSearchParams({ query: word })
  copy(given, ['time', 'timeout'], params)
  const { data, notes } = await postForm<Explained>(server, '/api/v1/explain', params)
  return { plain: renderExplanation(data), json: data, notes }
}

async function series({ server, given }: Requested): Promise<Printed> {
  const params = selection(given)
  const { data, notes } = await postForm<readonly Metric[]>(server, '/api/v1/series', params)
  return { plain: data.map(renderLabelSet).join('\n'), json: data, notes }
}

async function labelValues({ server, word, given }: Requested): Promise<Printed> {
  const path = `/api/v1/label/${encodeURIComponent(word)}/values`
  const { data, notes } = await getData<readonly string[]>(server, path, selection(given))
  return { plain: data.join('\n'), json: data, notes }
}

function printed({ data, notes }: Answered<QueryData>): Printed {
  return { plain: renderResult(data), json: data.result, notes }
}

function selection(given: Arguments): URLSearchParams {
  const params = new URLSearchParams()
  for (const selector of given.lists.get('match') ?? []) params.append('match[]', selector)
  copy(given, ['start', 'end', 'limit'], params)
  return params
}

function copy({ options }: Arguments, names: readonly string[], params: URLSearchParams): void {
  for (const name of names) if (options.has(name)) params.set(name, options.get(name)!)
}

function secondsOf(text: string, name: string): number {
  const timeMs = parseTime(text)
  if (timeMs !== undefined) return timeMs / 1000
  throw unexpected(`option --${name}`, text, 'RFC 3339 or seconds')
}
