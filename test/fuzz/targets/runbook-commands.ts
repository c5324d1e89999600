import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { bindCode } from '../../../src/catalog/bound-text.ts'
import { pageValues } from '../../../src/catalog/page-values.ts'
import { Labels } from '../../../src/model/labels.ts'
import { pick, type Random } from '../mutate.ts'
import { NOTHING_TO_CLOSE, simplerText, type Target } from '../target.ts'

interface Command {
  /** As a page has it, with placeholders. */
  readonly source: string
  readonly values: { readonly name: string; readonly node: string }
}

/**
 * What is special to a shell, and what would be noticed if one ran it. The loud words print what no value may: an argument
 * that is not quoted becomes output of its own.
 */
const PIECES = [
  ...['$(printf LOUD)', '`printf LOUD`', '; printf LOUD;', '&& printf LOUD', '| printf LOUD', '\\', "'", '"', '$', '!'],
  ...['$IFS', '${HOME}', '*', '?', '[a]', '~', '#', ' ', '<', '>', '>>x', '&', '(', ')', '{', '}', '=', '%', 'a', '-n'],
  ...['é', '😀', 'virt-api-7d', 'x[$(printf LOUD)]', "'; printf LOUD; '", '"; printf LOUD; "', '))', '`'],
]

function valueOf(random: Random): string {
  let value = ''
  for (let i = random(5); i >= 0; i--) value += pick(random, PIECES)
  return value
}

const USES = ['{{name}}', '{{node}}', '{{ name }}', 'vm/{{name}}', '{{name}}-{{node}}']

/** One word of a command. */
function wordOf(random: Random, depth: number): string {
  const use = random(4) === 0 ? pick(random, ['plain', '-o', 'a#b']) : pick(random, USES)
  switch (random(depth > 0 ? 14 : 9)) {
    case 0:
      return `'${use}'`
    case 1:
      return `"${use}"`
    case 2:
      return `"a 'b' ${use}"`
    case 3:
      return `'a "b" ${use}'`
    case 4:
      return `"\\"${use}\\\\${use}"`
    case 5:
      return `\\\\${use}`
    case 6:
      return `a\\ b\\'${use}`
    case 7:
      return `"\\${use}"`
    case 8:
      return random(4) === 0 ? `\\${use}` : use
    case 9:
      return `"$(printf %s ${wordOf(random, depth - 1)})"`
    case 10:
      return `"$( (printf %s ${wordOf(random, depth - 1)}) )"`
    case 11:
      return `"$(case x in x) printf %s ${wordOf(random, depth - 1)};; esac)"`
    case 12:
      return random(2) === 0 ? `"$((1 + 1)) ${use}"` : `"$((${use}))"`
    default:
      return `"$(printf x # it's ${use}\n)"`
  }
}

function sourceOf(random: Random): string {
  const words = Array.from({ length: 1 + random(3) }, () => wordOf(random, random(3))).join(' ')
  const command = `printf '<%s>' ${words}`
  switch (random(8)) {
    case 0:
      return `# on {{name}} it's "\n${command}`
    case 1:
      return `${command} # {{name}}`
    case 2:
      return `if true; then ${command}; fi`
    case 3:
      return `a={{name}}; ${command} "$a"`
    case 4:
      return `(${command})`
    case 5:
      return `${command} \\\n  {{node}}`
    default:
      return command
  }
}

/** Values that a shell reads as themselves. */
const PLAIN = { name: 'zNAMEz', node: 'zNODEz' } as const

function boundTo(source: string, values: Command['values']): { readonly text: string; readonly isWhole: boolean } {
  const known = pageValues({ alert: { labels: Labels.of(values), value: 1, activeAtMs: 0 } })
  const bound = bindCode(source, 'shell', (name) =>
    name === 'name' || name === 'node' ? known.get(name)?.value : undefined,
  )
  return { text: bound.text, isWhole: bound.unbound.length === 0 }
}

/** What each script prints in a real shell, which runs no programs but its own. */
function printed(scripts: readonly string[]): string[] {
  const { stdout } = spawnSync('/bin/sh', {
    input: scripts.map((script) => `(\n${script}\n)\nprintf '\\001'\n`).join(''),
    encoding: 'utf8',
    env: { PATH: '' },
    cwd: tmpdir(), // a fault in quoting may write files
  })
  return stdout.split('\u0001').slice(0, -1)
}

const commands: Target<Command> = {
  name: 'runbook-commands',
  claim:
    'In a real sh a command prints its values as they are: what it prints of plain values, with these in their place.',
  inputs: { suite: 300, long: 50_000 },
  batch: 50,
  shares: { 'filled in': 0.5 },
  open: () => ({
    make: (random) => ({ source: sourceOf(random), values: { name: valueOf(random), node: valueOf(random) } }),
    check: (inputs) => {
      const bound = inputs.map(({ source, values }) => ({ values, source, ...boundTo(source, values) }))
      const whole = bound.filter(({ isWhole }) => isWhole)
      const got = printed(whole.map(({ text }) => text))
      const plain = printed(whole.map(({ source }) => boundTo(source, PLAIN).text))
      whole.forEach(({ text, values }, i) => {
        const want = plain[i]?.replaceAll(PLAIN.name, () => values.name).replaceAll(PLAIN.node, () => values.node)
        if (got[i] === undefined || got[i] !== want)
          throw new Error(`${JSON.stringify(text)} prints ${JSON.stringify(got[i])}, want ${JSON.stringify(want)}`)
      })
      return bound.map(({ isWhole }) => (isWhole ? 'filled in' : 'open'))
    },
    simpler: function* ({ source, values }) {
      for (const name of ['name', 'node'] as const) {
        for (const value of simplerText(values[name])) {
          if (value !== '') yield { source, values: { ...values, [name]: value } }
        }
      }
    },
    show: (input) => JSON.stringify(input),
    ...NOTHING_TO_CLOSE,
  }),
}

export const RUNBOOK_COMMANDS = [commands]
