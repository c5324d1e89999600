import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterDetail, SettingItem } from '../../../contract/fleet-clusters.ts'
import { unknownsOf } from '../../lib/cluster-unknowns.ts'
import { clustersPath } from '../../lib/paths.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { settingText } from '../../lib/setting-text.ts'
import { minorOf, versionAge } from '../../lib/version-order.ts'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { FactList, type Fact } from '../../ui/fact-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Ago, Since } from '../../ui/time.tsx'
import { VersionMark } from '../../ui/version-mark.tsx'
import { sourcesOf } from './cluster-table.tsx'
import styles from './cluster-facts.module.css'

/** Facts about a cluster: identity, versions, settings, data sources. */

type Versions = readonly { readonly value: string | null; readonly count: number }[]

interface IdentityProps {
  readonly cluster: ClusterDetail
  readonly versions: Versions
}

export function ClusterIdentity({ cluster, versions }: IdentityProps): ReactNode {
  const { platform, subscription, channel, approval, region, provider, environment, flavour, aliases } = cluster
  const facts: readonly (Fact | undefined)[] = [
    fact('Aliases', aliases.length === 0 ? undefined : aliases.join(', ')),
    fact(
      'Platform',
      platform === null ? undefined : (
        <Link href={clustersPath({ platform: [platform.kind, minorOf(platform.version ?? '')].join(' ').trim() })}>
          {{ openshift: 'OpenShift', kubernetes: 'Kubernetes' }[platform.kind]}{' '}
          {platform.version ?? '(version not known)'}
        </Link>
      ),
    ),
    fact('Target version', platform?.target ?? undefined),
    fact('Flavour', flavour ?? undefined),
    fact('Channel', channel ?? undefined),
    fact('Approval', approval ?? undefined),
    fact('Installed', subscription?.installedCsv ?? undefined),
    fact('Offered', subscription?.currentCsv === subscription?.installedCsv ? undefined : subscription?.currentCsv),
    fact('Catalog', subscription === null ? undefined : `${subscription.source} (${subscription.state})`),
    fact('Location', [provider, region, environment].filter((part) => part !== null).join(', ') || undefined),
    fact('First seen', <Ago at={cluster.firstSeenAt} />),
  ]
  return (
    <Panel title="Identity">
      <FactList facts={facts} />
      <h3 className="panel-part-head">Versions</h3>
      <VersionList cluster={cluster} versions={versions} />
    </Panel>
  )
}

/** A value that is not reported is left out: the panel of data sources lists what is missing, and why. */
function fact(name: string, value: ReactNode): Fact | undefined {
  return value === undefined || value === null ? undefined : { name, value }
}

function VersionList({ cluster: { version, versions: own }, versions }: IdentityProps): ReactNode {
  const rows = [
    ...(version === null ? [] : [{ name: 'kubevirt-hyperconverged', version }]),
    ...Object.entries(own).map(([name, its]) => ({ name, version: its })),
  ]
  if (rows.length === 0) return <p className="quiet">No operator version reported.</p>
  return (
    <dl className="fact-list">
      {rows.map((row) => {
        const isShown = row.name === 'kubevirt-hyperconverged' || (version === null && row.name === 'kubevirt')
        const age = isShown ? versionAge(row.version, versions) : undefined
        return (
          <div key={row.name}>
            <dt>{operatorName(row.name)}</dt>
            <dd>
              {isShown ? <VersionMark version={row.version} age={age} /> : <span className="nums">{row.version}</span>}
              {age === undefined ? null : (
                <span className="quiet">
                  {' '}
                  {age === 0 ? 'newest minor of the fleet' : `${countOf(age, 'minor')} behind the newest of the fleet`}
                </span>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

export function ClusterCoverage({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const { coverage, lastSeenAt } = cluster
  const unknowns = unknownsOf(cluster)
  const sources = sourcesOf(coverage)
  return (
    <Panel
      title="Data sources"
      aside={
        <>
          {' '}
          last seen <Ago at={lastSeenAt} />
        </>
      }
    >
      <FactList
        facts={[
          { name: 'Types', value: sources.length === 0 ? 'none' : sources.join(', ') },
          { name: 'Objects', value: lastReport(coverage.objectsLastAt, `${formatCount(coverage.kinds.length)} kinds`) },
          { name: 'Metrics', value: lastReport(coverage.metricsLastAt) },
        ]}
      />
      {unknowns.length === 0 ? (
        <p className="mark quiet">
          <Shape name="check" /> All data on this page is reported.
        </p>
      ) : (
        <ul className="stack text-small quiet space-above">
          {unknowns.map((unknown) => (
            <li key={unknown}>{unknown}</li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function lastReport(at: string | null, more = ''): ReactNode {
  if (at === null) return 'never'
  return (
    <>
      <Ago at={at} />
      {more === '' ? '' : `, ${more}`}
    </>
  )
}

export function ClusterSettings({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const { settings, featureGates, hyperConvergedApi } = cluster
  const gates = Object.entries(featureGates)
  // Defaults follow from the version; only the object shows that nothing else is set.
  if (hyperConvergedApi === null && gates.length === 0 && settings.every(({ set }) => set === null)) {
    return (
      <Panel title="Settings">
        <p className="quiet">Not known: the HyperConverged object is not reported.</p>
      </Panel>
    )
  }
  const changed = settings.filter(isChanged)
  const kept = settings.filter((setting) => !isChanged(setting))
  return (
    <Panel title="Settings" aside={hyperConvergedApi ?? undefined}>
      {changed.length === 0 ? (
        <p className="quiet">No settings differ from the defaults.</p>
      ) : (
        <SettingList settings={changed} />
      )}
      {kept.length === 0 ? null : (
        <details>
          <summary className="quiet">{countOf(kept.length, 'setting')} with the default value</summary>
          <SettingList settings={kept} />
        </details>
      )}
      {gates.length === 0 ? null : (
        <>
          <h3 className="panel-part-head">Feature gates</h3>
          <dl>
            {gates.map(([name, isOn]) => (
              <div key={name} className={pairClass}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{isOn ? <strong>on</strong> : 'off'}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Panel>
  )
}

const pairClass = classNames('row', 'row-text', 'row-apart', 'text-small', styles.pair)

/** Set to another value than the default, or with an unknown default. */
function isChanged({ set, default: holds }: SettingItem): boolean {
  return set !== null && JSON.stringify(set) !== JSON.stringify(holds)
}

function SettingList({ settings }: { readonly settings: readonly SettingItem[] }): ReactNode {
  return (
    <dl>
      {settings.map((setting) => (
        <div key={setting.name} className={pairClass}>
          <dt>
            <code>{setting.name}</code>
          </dt>
          <dd>
            {settingText(setting.set)}{' '}
            <span className="quiet">
              ({setting.default === null ? 'default not known' : `default ${settingText(setting.default)}`})
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function ClusterMachines({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const { nodes, pools, goldenImages, descheduler, instanceTypes, preferences, deprecatedApis, outdatedWorkloads } =
    cluster
  const facts: readonly (Fact | undefined)[] = [
    fact(
      'Nodes',
      nodes === null
        ? undefined
        : `${nodes.ready} of ${nodes.count} ready, kubelet ${nodes.kubeletVersions.join(', ')}`,
    ),
    fact('Outdated VMs', outdatedWorkloads === null ? undefined : formatCount(outdatedWorkloads)),
    fact(
      'Golden images',
      goldenImages === null
        ? undefined
        : `${countOf(goldenImages.crons, 'import')}, ${goldenImages.outdated === 0 ? 'all up to date' : `${goldenImages.outdated} outdated`}`,
    ),
    fact(
      'Descheduler',
      descheduler === null
        ? undefined
        : `${descheduler.profiles.join(', ') || 'no profile'}${descheduler.misconfigured === true ? ', misconfigured' : ''}`,
    ),
    fact('Instance types', countsText(instanceTypes)),
    fact('Preferences', countsText(preferences)),
    fact('Deprecated APIs', countsText(deprecatedApis)),
  ]
  return (
    <Panel title="Nodes and VMs">
      {facts.every((one) => one === undefined) ? <p className="quiet">Not reported.</p> : <FactList facts={facts} />}
      {pools.length === 0 ? null : (
        <DataTable label="Machine config pools" columns={POOL_COLUMNS} rows={pools} rowKey={({ name }) => name} />
      )}
    </Panel>
  )
}

const POOL_COLUMNS: readonly Column<ClusterDetail['pools'][number]>[] = [
  { head: 'Pool', cell: ({ name }) => name },
  { head: 'Updated', kind: 'number', cell: ({ machines, updated }) => `${updated} of ${machines}` },
  {
    head: 'State',
    cell: ({ paused, degraded }) =>
      `${paused ? 'paused ' : ''}${degraded > 0 ? `${degraded} degraded` : paused ? '' : 'up to date'}`,
  },
]

function countsText(counts: Readonly<Record<string, number>>): string | undefined {
  const entries = Object.entries(counts)
  if (entries.length === 0) return undefined
  return entries.map(([name, count]) => `${name} (${formatCount(count)})`).join(', ')
}

export function ClusterConditions({ cluster }: { readonly cluster: ClusterDetail }): ReactNode {
  const { conditions } = cluster
  return (
    <Panel
      title="Conditions of HyperConverged"
      aside={cluster.systemHealth === null ? undefined : `system health: ${cluster.systemHealth}`}
    >
      {conditions.length === 0 ? (
        <p className="quiet">Not reported.</p>
      ) : (
        <DataTable label="Conditions" columns={CONDITION_COLUMNS} rows={conditions} rowKey={({ type }) => type} />
      )}
    </Panel>
  )
}

const CONDITION_COLUMNS: readonly Column<ClusterDetail['conditions'][number]>[] = [
  { head: 'Condition', cell: ({ type }) => type },
  {
    head: 'Status',
    title: ({ message }) => message,
    cell: ({ type, status, reason }) => {
      const isBad = (type === 'Degraded' && status === 'True') || (type === 'Available' && status === 'False')
      return (
        <>
          <span className={isBad ? 'tone-critical' : ''}>{status}</span> <span className="quiet">{reason}</span>
        </>
      )
    },
  },
  {
    head: 'Since',
    kind: 'number',
    cell: ({ lastTransitionAt }) =>
      lastTransitionAt === null ? 'not reported' : <Since atMs={Date.parse(lastTransitionAt)} />,
  },
]
