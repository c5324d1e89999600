/** `daytwo config routes`: the routing tree of a notification configuration, and the route of an alert, like amtool. */
import { renderDiagnostic } from '../model/diagnostic.ts'
import { Labels } from '../model/labels.ts'
import { formatMatchers } from '../model/matcher-text.ts'
import { routesFor, type Route } from '../notify/route.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { readNotifyFile } from './notify-config.ts'

const OK = 0
const FAILED = 1

export const configCommand: Command = {
  help: () =>
    [
      'Usage: daytwo config routes [show] --config FILE',
      '       daytwo config routes test --config FILE [--verify.receivers NAME,...] [--tree] [LABEL=VALUE...]',
      '',
      '  show   The routing tree, with the receiver of each route.',
      '  test   The receivers that an alert with these labels goes to, in the order of the routes.',
      '',
      '  --config FILE             Routing and receivers, as `daytwo serve --notify.config` takes them.',
      '  --verify.receivers NAMES  The receivers that are expected, in their order; others end with 1.',
      '  --tree                    The part of the tree that matches, too.',
    ].join('\n'),
  run: (args) => {
    const { words, options, lists } = parseArguments(args, new Set(['config', 'verify.receivers']), new Set(['tree']))
    const [subject = '', ...rest] = words
    if (subject !== 'routes') {
      throw unexpected('daytwo config', subject, 'routes')
    }
    const path = options.get('config')
    if (path === undefined) throw inputError('daytwo config routes: want --config FILE')
    const root = rootOf(path)
    const [verb = 'show', ...labels] = rest
    if (verb === 'show') {
      console.log(['Routing tree:', '.', ...treeLines(root, () => true, true)].join('\n'))
      return Promise.resolve(OK)
    }
    if (verb !== 'test') throw inputError(`got ${JSON.stringify(verb)}, want show or test`)
    const routes = routesFor(root, readLabels(labels))
    if (options.get('tree') === 'true') console.log(matchingTree(root, routes))
    return Promise.resolve(verify(routes, lists.get('verify.receivers')))
  },
}

function rootOf(path: string): Route {
  const { config, diagnostics, maskedText } = readNotifyFile(path)
  if (config !== undefined) return config.route
  const shown = diagnostics.map((finding) => renderDiagnostic(maskedText, finding)).join('\n\n')
  throw inputError(`${path} cannot be used\n${shown}`)
}

/** In amtool's notation: each argument is one label, whose value may be quoted. */
function readLabels(words: readonly string[]): Labels {
  return Labels.fromPairs(words.map(readLabel))
}

function readLabel(word: string): readonly [string, string] {
  const parts = /^\s*("[^"]*"|[^\s=!~"]+)\s*(=~|!~|!=|=)\s*(.*?)\s*$/s.exec(word)
  const op = parts?.[2]
  if (parts === null) {
    throw inputError(`cannot read the label ${JSON.stringify(word)}`, 'write it like severity=critical')
  }
  if (op !== '=') throw inputError(`label ${parts[1]!}: got ${op!}, want =`)
  const plain = (text: string): string => (/^".*"$/s.test(text) ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text)
  return [plain(parts[1]!), plain(parts[3]!)]
}

function verify(routes: readonly Route[], lists: readonly string[] | undefined): number {
  const names = routes.map(({ receiver }) => receiver)
  console.log(names.join(','))
  const expected = lists?.flatMap((list) => list.split(',').map((name) => name.trim()))
  if (expected === undefined || expected.join('\n') === names.join('\n')) return OK
  console.error('WARNING: Expected receivers did not match resolved receivers.')
  return FAILED
}

function matchingTree(root: Route, routes: readonly Route[]): string {
  const isOnTheWay = ({ path }: Route): boolean =>
    routes.some((route) => path.every((index, depth) => route.path[depth] === index))
  const isEnd = (route: Route): boolean => routes.includes(route)
  return ['Matching routes:', '.', ...treeLines(root, isOnTheWay, false, isEnd), '', ''].join('\n')
}

function treeLines(
  root: Route,
  isShown: (route: Route) => boolean,
  isWhole: boolean,
  hasReceiver: (route: Route) => boolean = () => true,
): readonly string[] {
  const lines = (route: Route, prefix: string, isLast: boolean): string[] => {
    const name = route.path.length === 0 ? 'default-route' : formatMatchers(route.matchers)
    const continues = isWhole && route.continues ? '  continue: true' : ''
    const receiver = hasReceiver(route) ? `  receiver: ${route.receiver}` : ''
    const children = route.routes.filter(isShown)
    const below = `${prefix}${isLast ? '    ' : '│   '}`
    return [
      `${prefix}${isLast ? '└── ' : '├── '}${name}${continues}${receiver}`,
      ...children.flatMap((child, i) => lines(child, below, i === children.length - 1)),
    ]
  }
  return lines(root, '', true)
}
