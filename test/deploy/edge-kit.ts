import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { ROOT } from '../content/content.ts'

/** The files of `deploy/`, as what reads them would read them. A document that is no YAML throws. */

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly rules?: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
  readonly roleRef?: { readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[]
  readonly spec?: Readonly<Record<string, unknown>>
}

export interface WatchedObject {
  readonly name: string
  readonly group?: string
  readonly mode: 'watch' | 'pull'
  readonly interval?: string
  readonly label_selector?: string
  readonly field_selector?: string
  readonly namespaces?: readonly string[]
}

export interface CollectorConfig {
  readonly receivers: Readonly<Record<string, { readonly objects: readonly WatchedObject[] }>>
  readonly processors: Readonly<
    Record<
      string,
      {
        readonly attributes?: readonly { readonly key: string; readonly value: string; readonly action: string }[]
        readonly log_statements?: readonly { readonly statements: readonly string[] }[]
      }
    >
  >
  readonly exporters: Readonly<
    Record<string, { readonly endpoint: string; readonly sending_queue: { readonly storage: string } }>
  >
  readonly extensions: Readonly<Record<string, unknown>>
  readonly service: {
    readonly extensions: readonly string[]
    readonly pipelines: Readonly<
      Record<string, { readonly receivers: string[]; readonly processors: string[]; readonly exporters: string[] }>
    >
  }
}

export interface RelabelStep {
  readonly sourceLabels?: readonly string[]
  readonly regex?: string
  readonly targetLabel?: string
  readonly replacement?: string
  readonly action?: 'replace' | 'keep' | 'drop' | 'labeldrop'
}

export interface RemoteWrite {
  readonly url: string
  readonly authorization: {
    readonly type: string
    readonly credentials: { readonly name: string; readonly key: string }
  }
  readonly writeRelabelConfigs: readonly RelabelStep[]
}

export function deployText(file: string): string {
  return readFileSync(join(ROOT, 'deploy', file), 'utf8')
}

/** A document with a repeated key or an open quote is none. */
export function manifests(file: string): readonly Manifest[] {
  return parseAllDocuments(deployText(file)).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!
    return document.toJS() as Manifest
  })
}

export function manifest(file: string, kind: string, name: string): Manifest {
  const found = manifests(file).find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`${file} has no ${kind} ${name}`)
  return found
}

export function collectorConfig(): CollectorConfig {
  return parse(manifest('edge-kit.yaml', 'ConfigMap', 'daytwo-edge').data!['collector.yaml']!) as CollectorConfig
}

/** The settings of the three kinds of monitoring, by the name of the object that holds each. */
export function remoteWrites(): ReadonlyMap<string, RemoteWrite> {
  return new Map(
    manifests('remote-write.yaml').map(({ metadata, data, spec }) => {
      type Settings = Readonly<Record<string, { readonly remoteWrite: readonly RemoteWrite[] }>>
      const settings = data === undefined ? { spec } : (parse(data['config.yaml']!) as Settings)
      return [metadata.name, Object.values(settings as Settings)[0]!.remoteWrite[0]!]
    }),
  )
}

/** What Prometheus makes of a series by these steps; `undefined`: it is not sent. */
export function relabelled(
  series: Readonly<Record<string, string>>,
  steps: readonly RelabelStep[],
): Readonly<Record<string, string>> | undefined {
  let labels = { ...series }
  for (const { sourceLabels = [], regex = '(.*)', targetLabel, replacement = '$1', action = 'replace' } of steps) {
    const wanted = new RegExp(`^(?:${regex})$`)
    const match = wanted.exec(sourceLabels.map((name) => labels[name] ?? '').join(';'))
    if (action === 'labeldrop') {
      labels = Object.fromEntries(Object.entries(labels).filter(([name]) => !wanted.test(name)))
    } else if (action === 'keep' ? match === null : action === 'drop' && match !== null) {
      return undefined
    } else if (action === 'replace' && match !== null) {
      const value = replacement.replace(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '')
      const others = Object.entries(labels).filter(([name]) => name !== targetLabel)
      labels = Object.fromEntries(value === '' ? others : [...others, [targetLabel!, value]])
    }
  }
  return labels
}
