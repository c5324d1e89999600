/** `daytwo plan`: the plan of an upgrade, computed by a running server, as a runbook, a calendar or JSON. */
import type { PlanAnswer, PlanRequest } from '../contract/fleet-plans.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf } from './prometheus-client.ts'

const OUTPUTS = ['markdown', 'json', 'ics'] as const
type Output = (typeof OUTPUTS)[number]

/** Every cluster of the selection has a path, or is at the target. */
const PLANNED = 0
/** A cluster has no path, or a blocking hazard. */
const BLOCKED = 1
const NO_ANSWER = 3

export const planCommand: Command = {
  help: () =>
    [
      'Usage: daytwo plan [SERVER] --target VERSION [--selector FILTER] [--output markdown|json|ics]',
      '',
      'Plans the upgrade of clusters: the path over OpenShift and HCO, the steps of each cluster with commands,',
      `checks and durations, and the schedule of all. SERVER is a running server (default ${DEFAULT_SERVER}).`,
      'Ends with 0; with 1 when a cluster has no path or a blocking hazard; with 3 without an answer.',
      '',
      '  --target VERSION\n      A minor such as 4.18 or 1.14, a version of HCO such as 1.14.2, or "openshift 4.18.3".',
      '  --selector FILTER\n      As in the address of the page Fleet > Clusters: version=1.12&region=eu, platform=openshift 4.16,\n      cluster=NAME for names. Default: all clusters.',
      '  --at-once N\n      Clusters that are upgraded at the same time (default 5).',
      '  --window "DAYS HH:MM-HH:MM"\n      A maintenance window such as "Sat 22:00-06:00"; may be repeated. Default: any time.',
      '  --time-zone ZONE\n      IANA time zone of the windows (default UTC).',
      '  --start TIME\n      The earliest start, RFC 3339 (default now).',
      '  --limit N\n      Clusters with their steps in the output (default 100, at most 500).',
      '  --output markdown|json|ics\n      A runbook, the answer of the API, or the waves as a calendar (default markdown).',
      '  --token TOKEN, --token-file FILE\n      Sent as a Bearer token.',
    ].join('\n'),
  run: async (args) => {
    const { words, options, lists } = parseArguments(args, VALUED, new Set())
    const [address = DEFAULT_SERVER, ...more] = words
    if (more.length > 0) throw unexpected('daytwo plan', more.join(' '), 'one server')
    const output = (options.get('output') ?? 'markdown') as Output
    if (!OUTPUTS.includes(output)) throw unexpected('option --output', output, 'markdown, json or ics')
    const body = requestOf(options, lists, output)
    const server = serverOf(address, options)
    try {
      const plan = await requestOwn<PlanAnswer>(server, 'POST', '/api/fleet/v1/plans', body)
      console.log(output === 'json' ? JSON.stringify(plan, undefined, 2) : (plan.export?.text ?? '').trimEnd())
      const without = (plan.outcomes['no_path'] ?? 0) + (plan.outcomes['unknown'] ?? 0)
      return plan.blocked + without === 0 ? PLANNED : BLOCKED
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`no plan: ${thrown.message}`)
      return NO_ANSWER
    }
  },
}

const VALUED = new Set([
  ...['target', 'selector', 'at-once', 'window', 'time-zone', 'start', 'limit', 'output', 'token', 'token-file'],
])

function requestOf(
  options: ReadonlyMap<string, string>,
  lists: ReadonlyMap<string, readonly string[]>,
  output: Output,
): PlanRequest {
  const target = options.get('target')
  if (target === undefined) throw inputError('option --target: got nothing, want a version', 'such as 4.18 or 1.14')
  const [timeZone, start, atOnce, limit] = ['time-zone', 'start', 'at-once', 'limit'].map((name) => options.get(name))
  return {
    ...{ target, selector: selectorOf(options.get('selector') ?? ''), windows: lists.get('window') ?? [] },
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(start === undefined ? {} : { start }),
    ...(atOnce === undefined ? {} : { clustersAtOnce: countOf('at-once', atOnce) }),
    ...(limit === undefined ? {} : { limit: countOf('limit', limit) }),
    ...(output === 'json' ? {} : { export: output }),
  }
}

function countOf(option: string, text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text)
  throw unexpected(`option --${option}`, text, 'a whole number above 0')
}

/** By name of the parameter: whether it may be repeated. */
const SELECTORS: ReadonlyMap<string, boolean> = new Map([
  ['version', true],
  ['state', true],
  ['cluster', true],
  ['channel', false],
  ['platform', false],
  ['flavour', false],
  ['region', false],
  ['text', false],
])

function selectorOf(text: string): NonNullable<PlanRequest['selector']> {
  const found = new Map<string, string | string[]>()
  for (const [given, value] of new URLSearchParams(text.replace(/^\?/, ''))) {
    // The page has `q` in its address.
    const name = given === 'q' ? 'text' : given
    const isList = SELECTORS.get(name)
    if (isList === undefined) throw unexpected('option --selector', given, `one of ${[...SELECTORS.keys()].join(', ')}`)
    if (!isList) found.set(name, value)
    else found.set(name, [...((found.get(name) as string[] | undefined) ?? []), ...value.split(',')])
  }
  return Object.fromEntries(found)
}
