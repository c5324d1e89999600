/** `daytwo import`: dashboards of other tools, and update graphs. */
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import { importGrafana } from '../catalog/grafana/import-dashboard.ts'
import type { GraphImportItems } from '../contract/update-graph.ts'
import { inputError, parseArguments, unexpected, type Arguments } from './arguments.ts'
import type { Command } from './command.ts'
import { importCatalog } from './import-catalog.ts'
import { importGraph } from './import-graph.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf, type Server } from './prometheus-client.ts'

const VALUED = new Set(['name', 'package', 'operator', 'channel', 'arch', 'url', 'token', 'token-file'])
const KINDS = ['grafana', 'catalog', 'graph', 'list', 'remove'] as const
const PATH = '/api/fleet/v1/update-graph/imports'

export const importCommand: Command = {
  help: () =>
    [
      'Usage: daytwo import grafana FILE',
      '       daytwo import catalog DIR|FILE... [--package NAME] [--name NAME] [--url SERVER]',
      '       daytwo import graph FILE|URL [--operator OPERATOR] [--channel CHANNEL] [--arch ARCH] [--name NAME] [--url SERVER]',
      '       daytwo import list [--url SERVER]',
      '       daytwo import remove NAME... [--url SERVER]',
      '',
      'grafana prints a Grafana dashboard (its JSON, as it is exported or as the API answers it; - reads standard input) as a',
      'Perses dashboard. Parts that could not be converted are listed on standard error, one per line. Put the result into the',
      'folder of dashboards and run `daytwo lint`.',
      '',
      'catalog reads an OLM file-based catalog (YAML or JSON, any layout of files, or an olm.semver template) and graph a graph in',
      'the form of Cincinnati, which OpenShift’s update service answers. Both send the update graph to a running server, where an import',
      'of the same name is replaced. list shows the imports, remove removes some.',
      'Exit code 0; 1 when the server refuses or does not respond; 2 for wrong usage or an invalid file.',
      '',
      '  --package NAME\n      The package of the catalog; by default community-kubevirt-hyperconverged and kubevirt-hyperconverged.',
      '  --operator OPERATOR\n      Whose graph it is: openshift (default) or kubevirt-hyperconverged.',
      '  --channel CHANNEL\n      The channel of versions whose metadata names none; by default that of the address.',
      '  --arch ARCH\n      The architecture of the payloads; by default that of the address, for OpenShift else amd64.',
      '  --name NAME\n      Name of the import; by default the package, the channel or the file.',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of an administrator, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const given = parseArguments(args, VALUED, new Set())
    const [from, ...names] = given.words
    if (from === 'grafana') return convertGrafana(names)
    const work = workOf(from ?? '', names, given)
    try {
      await work(serverOf(given.options.get('url') ?? DEFAULT_SERVER, given.options))
      return 0
    } catch (thrown) {
      if (thrown instanceof FleetError && thrown.code !== 'config_invalid') {
        throw inputError(thrown.message, thrown.hint)
      }
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`daytwo import: ${thrown.message}`)
      return 1
    }
  },
}

function workOf(kind: string, names: readonly string[], { options }: Arguments): (server: Server) => Promise<void> {
  const first = names[0]
  switch (kind) {
    case 'catalog':
      if (first === undefined) throw inputError('daytwo import catalog: got no file, want at least one file or folder')
      return (server) => importCatalog(server, names, options)
    case 'graph':
      if (first === undefined || names.length > 1) {
        throw inputError(`daytwo import graph: want one file or address, got ${names.length}`)
      }
      return (server) => importGraph(server, first, options)
    case 'list':
      return list
    case 'remove':
      if (first === undefined) throw inputError('daytwo import remove: got no name, want at least one')
      return async (server) => {
        for (const name of names) {
          await requestOwn(server, 'DELETE', `${PATH}/${encodeURIComponent(name)}`)
          console.log(`removed ${name}`)
        }
      }
    default:
      throw unexpected('daytwo import', kind, KINDS.join(', '))
  }
}

async function list(server: Server): Promise<void> {
  const { imports } = await requestOwn<GraphImportItems>(server, 'GET', PATH)
  if (imports.length === 0) console.log('no imports: the update graph is made of the known releases')
  for (const { name, kind, operator, arch, source, importedAt, by } of imports) {
    console.log(
      `${name}  ${kind} of ${operator}${arch === null ? '' : ` (${arch})`}, ${importedAt} by ${by}: ${source}`,
    )
  }
}

function convertGrafana(files: readonly string[]): number {
  const [file] = files
  if (file === undefined || files.length > 1) {
    throw inputError(`daytwo import grafana: want one file, got ${files.length}`)
  }
  const { yaml, notConverted } = importGrafana(read(file))
  for (const line of notConverted) console.error(`not converted: ${line}`)
  process.stdout.write(yaml)
  return 0
}

function read(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (thrown) {
    throw new FleetError('config_invalid', `reading ${file} failed: ${messageOf(thrown)}`, { cause: thrown })
  }
}
