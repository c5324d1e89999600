/** `daytwo bundle`: an evidence bundle of a running server, or the check of one that was made. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { messageOf } from '../base/errors.ts'
import { checkBundle } from '../bundle/archive/checksums.ts'
import { REDACTION_NAMES, type RedactionName } from '../model/redaction.ts'
import { inputError, parseArguments, timeGiven, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestFile, serverOf } from './prometheus-client.ts'

const VALUED = new Set(['redact', 'output', 'active-at', 'operator', 'url', 'token', 'token-file'])
const WHOLE = 0
/** `verify`: the bundle is damaged or was changed. */
const CHANGED = 1
const NO_ANSWER = 3
/** A larger file is no bundle. */
const FILE_BYTES_MAX = 256 * 1024 * 1024

type Options = ReadonlyMap<string, string>

export const bundleCommand: Command = {
  help: () =>
    [
      'Usage: daytwo bundle upgrade ID [--redact default|strict|none] [-o FILE] [--url SERVER]',
      '       daytwo bundle alert FINGERPRINT [--active-at TIME] [--redact default|strict|none] [-o FILE] [--url SERVER]',
      '       daytwo bundle rollout VERSION [--operator NAME] [--redact default|strict|none] [-o FILE] [--url SERVER]',
      '       daytwo bundle verify FILE',
      '',
      'upgrade, alert and rollout store an evidence bundle: one zip archive with the record, objects, samples, traces, log records,',
      'rules and runbooks of the subject. index.html in the archive opens without a server. verify compares each file of',
      'an archive with its checksum. Exit code 0; 1 when an archive is damaged or was changed; 2 for wrong usage; 3 when',
      'the server refuses or does not respond.',
      '',
      '  --redact PROFILE\n      default: secrets, IP addresses and e-mail addresses are replaced; strict: also clusters, nodes, users and hosts; none.',
      '  --active-at TIME\n      The start of the occurrence, RFC 3339 or seconds (default: the present or last occurrence).',
      '  --operator NAME\n      Of a rollout (default kubevirt-hyperconverged).',
      '  -o FILE, --output FILE\n      Where the archive is stored (default: the name that the server gives, in this folder).',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args.map(longName), VALUED, new Set())
    const [verb = '', ...rest] = words
    const work = verbOf('bundle', { upgrade, alert, rollout, verify }, verb)
    const [word, ...others] = rest
    if (word === undefined || others.length > 0)
      throw unexpected(`daytwo bundle ${verb}`, rest.join(' '), WANTED.get(verb)!)
    return work(word, options)
  },
}

const WANTED: ReadonlyMap<string, string> = new Map([
  ['upgrade', 'the ID of an upgrade'],
  ['alert', 'the fingerprint of an alert'],
  ['rollout', 'a version'],
  ['verify', 'a file'],
])

function longName(arg: string): string {
  return arg === '-o' ? '--output' : arg
}

function upgrade(id: string, options: Options): Promise<number> {
  return download(`upgrades/${encodeURIComponent(id)}`, {}, options)
}

function alert(fingerprint: string, options: Options): Promise<number> {
  const given = options.get('active-at')
  // A time in milliseconds, so that it is of one occurrence.
  const atMs = given === undefined ? undefined : timeGiven(given, 'active-at', Date.parse('2200-01-01'))
  const params: Record<string, string> = atMs === undefined ? {} : { activeAtMs: String(atMs) }
  return download(`alerts/${encodeURIComponent(fingerprint)}`, params, options)
}

function rollout(version: string, options: Options): Promise<number> {
  const operator = options.get('operator')
  return download(`rollouts/${encodeURIComponent(version)}`, operator === undefined ? {} : { operator }, options)
}

async function download(path: string, params: Readonly<Record<string, string>>, options: Options): Promise<number> {
  const redact = (options.get('redact') ?? 'default') as RedactionName
  if (!REDACTION_NAMES.includes(redact)) throw unexpected('option --redact', redact, REDACTION_NAMES.join(', '))
  const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
  const query = new URLSearchParams({ ...params, redact }).toString()
  try {
    const { bytes, fileName } = await requestFile(server, `/api/fleet/v1/bundles/${path}?${query}`)
    const { problems, members } = checkBundle(bytes)
    if (problems.length > 0) throw new NoAnswer(`the received bundle is not complete: ${problems.join('; ')}`)
    const file = options.get('output') ?? fileName
    store(file, bytes, options.has('output'))
    console.log(`${file}: ${members} files, ${bytes.length} bytes, redaction ${redact}`)
    return WHOLE
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown
    console.error(`no bundle: ${thrown.message}`)
    return NO_ANSWER
  }
}

/** A file that the user did not name is not replaced. */
function store(file: string, bytes: Uint8Array, isNamed: boolean): void {
  try {
    writeFileSync(file, bytes, { flag: isNamed ? 'w' : 'wx' })
  } catch (thrown) {
    throw inputError(`cannot store the bundle in ${file}: ${messageOf(thrown)}`, 'name another file with -o')
  }
}

function verify(file: string): Promise<number> {
  const { members, problems, title = '', redaction = '' } = checkBundle(readFile(file))
  for (const problem of problems) console.error(`${file}: ${problem}`)
  // As JSON: a title may have characters that a terminal would obey.
  if (problems.length === 0)
    console.log(
      `${file}: ${members} files as they were made, ${JSON.stringify(title)}, redaction ${JSON.stringify(redaction)}`,
    )
  return Promise.resolve(problems.length === 0 ? WHOLE : CHANGED)
}

function readFile(file: string): Uint8Array {
  try {
    const { size } = statSync(file)
    if (size > FILE_BYTES_MAX) throw new Error(`it has ${size} bytes, at most ${FILE_BYTES_MAX} are read`)
    return readFileSync(file)
  } catch (thrown) {
    throw inputError(`cannot read ${file}: ${messageOf(thrown)}`)
  }
}
