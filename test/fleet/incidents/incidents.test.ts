import { describe, expect, test } from 'vitest'
import {
  clusterVersion,
  csv,
  type CsvStep,
  csvOf,
  FROM,
  hco,
  installed,
  KUBEVIRT_FROM,
  KUBEVIRT_TO,
  kubevirt,
  migration,
  node,
  NODES,
  operand,
  operandsDone,
  operandsStarted,
  planned,
  platformStarted,
  podEvent,
  pool,
  rolledOut,
  steady,
  subscription,
  TO,
  upgraded,
  virtHandler,
} from './courses.ts'
import { cond, iso, RawCluster, reportOf, type Report } from './raw-cluster.ts'

/**
 * Incidents by mechanism, with objects as operators write them, and healthy clusters that look like them. Each is read from
 * a watch with lists, and from lists alone. Texts, components and versions are such as no public incident has.
 */

const MIN = 60
const HOUR = 60 * MIN
/** The edge kit lists every 15 or 30 min. */
const LIST_SECONDS = 15 * MIN

interface Incident {
  readonly story: (cluster: RawCluster) => void
  /** When the product is asked. */
  readonly at: number
  /** The operator that is stuck, its phase and its first cause; absent: nothing is stuck. */
  readonly stuck?: readonly [operator: string, phase: string | undefined, cause: string]
  /** What the causes and problems contain, by a watch; lists have no events. */
  readonly text?: RegExp
  readonly states?: readonly string[]
  /** Of the newest upgrade; absent: there is none. */
  readonly upgrade?: string
  /** Lists show less. */
  readonly listed?: Partial<Pick<Incident, 'stuck' | 'text' | 'states' | 'upgrade'>>
}

function reportsOf({ story, at }: Pick<Incident, 'story' | 'at'>): readonly [watched: Report, listed: Report] {
  const cluster = new RawCluster()
  steady(cluster)
  story(cluster)
  const lists = cluster.listed(at, LIST_SECONDS)
  const both = { objects: [...cluster.watched(at), ...lists.objects], absences: lists.absences }
  const report = reportOf(both, at)
  expect(reportOf({ ...both, objects: [...both.objects, ...both.objects].toReversed() }, at)).toEqual(report)
  return [report, reportOf(lists, at)]
}

function expectReport(report: Report, { stuck, text = /(?:)/, states, upgrade }: Incident): void {
  const found = report.stuck.map(({ operator, phase, causes }) => [operator, phase, causes[0]])
  expect(found).toEqual(stuck === undefined ? [] : [stuck])
  expect(report.upgrades.at(-1)).toBe(upgrade)
  expect(report.text).toMatch(text)
  if (states !== undefined) expect(report.states).toEqual(states)
}

const HCO = 'kubevirt-hyperconverged'
const RUNNING = `${HCO} ${FROM}>${TO} in_progress`
const DONE = `${HCO} ${FROM}>${TO} succeeded`
const PLATFORM = 'openshift 4.18.20>4.18.24 in_progress'

/** OLM cannot plan: the Subscription with one condition. */
const planning =
  (type: string, reason: string, message: string, status: object = {}) =>
  (cluster: RawCluster): void => {
    const unset = { state: 'AtLatestKnown', currentCSV: csvOf(FROM), installedCSV: csvOf(FROM) }
    const healthy = { type: 'CatalogSourcesUnhealthy', status: 'False', reason: 'AllCatalogSourcesHealthy' }
    const conditions = [...(type === healthy.type ? [] : [healthy]), { type, status: 'True', reason, message }]
    subscription(cluster, 10 * MIN, { ...unset, ...status, conditions })
  }

/** The plan is there, and then OLM writes what became of it. */
const failedPlan =
  (reason: string, message: string) =>
  (cluster: RawCluster): void => {
    planned(cluster, 0)
    const failed = { status: 'False', reason, message, lastTransitionTime: iso(45) }
    const spec = { approval: 'Automatic', approved: true, clusterServiceVersionNames: [csvOf(TO)] }
    cluster.put(45, 'installplans', 'install-zq4vd', {
      spec,
      status: { phase: 'Failed', startTime: iso(2), conditions: [{ type: 'Installed', ...failed }] },
    })
  }

const PLANNING: Readonly<Record<string, Incident>> = {
  'a plan failed on objects that the new CRD does not allow, and the Subscription says nothing yet': {
    story: failedPlan('InstallComponentFailed', 'error validating existing CRs against new CRD schema for "vmpools"'),
    at: 40 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, undefined, 'resolution_failed'],
    text: /InstallPlan failed.*[\s\S]*new CRD schema for "vmpools"/,
  },
  'a plan failed on a permission': {
    story: failedPlan('InstallComponentFailed', 'serviceaccounts "hco" is forbidden: cannot create in the namespace'),
    at: 3 * HOUR,
    upgrade: RUNNING,
    stuck: [HCO, undefined, 'resolution_failed'],
    text: /serviceaccounts "hco" is forbidden/,
  },
  'a plan was deleted while it waited for its approval': {
    story: (cluster) => {
      planned(cluster, 0, 'Manual')
      cluster.delete(20 * MIN, 'installplans', 'install-zq4vd')
      const status = { state: 'UpgradePending', currentCSV: csvOf(TO), installedCSV: csvOf(FROM) }
      const missing = { type: 'InstallPlanMissing', status: 'True', reason: 'ReferencedInstallPlanNotFound' }
      const more = { installPlanRef: { name: 'install-zq4vd' }, conditions: [missing] }
      subscription(cluster, 21 * MIN, { ...status, ...more }, 'Manual')
    },
    at: 2 * HOUR,
    upgrade: RUNNING,
    stuck: [HCO, 'offered', 'resolution_failed'],
    text: /was deleted.*ReferencedInstallPlanNotFound/,
  },
  'a plan waits for its approval, which a maintenance window explains': {
    story: (cluster) => {
      planned(cluster, 0, 'Manual')
    },
    at: 2 * HOUR,
    upgrade: RUNNING,
    states: ['steady'],
  },
  'OLM cannot resolve a constraint, and no upgrade is open': {
    story: planning(
      'ResolutionFailed',
      'ConstraintsNotSatisfiable',
      'no operators found in package nmstate-x required by csv',
    ),
    at: 60 * MIN,
    states: ['cannot_plan'],
    text: /cannot resolve[\s\S]*package nmstate-x/,
  },
  'a bundle cannot be unpacked': {
    story: planning(
      'BundleUnpackFailed',
      'DeadlineExceeded',
      'bundle unpacking failed: Job was active longer than allowed',
    ),
    at: 60 * MIN,
    states: ['cannot_plan'],
    text: /cannot unpack[\s\S]*Job was active/,
  },
  'a catalog of somebody else blocks the namespace': {
    story: planning(
      'CatalogSourcesUnhealthy',
      'UnhealthyCatalogSourceFound',
      'targeted catalogsource team-b/old unhealthy',
    ),
    at: 60 * MIN,
    states: ['cannot_plan'],
    text: /catalog is unhealthy[\s\S]*team-b\/old/,
  },
  'a catalog restarted a minute ago': {
    story: planning('CatalogSourcesUnhealthy', 'UnhealthyCatalogSourceFound', 'targeted catalogsource x/y unhealthy'),
    at: 12 * MIN,
    states: ['steady'],
  },
  'the next minor version of the platform is blocked, and nobody asked for it': {
    story: (cluster) => {
      const done = {
        state: 'Completed',
        version: '4.18.20',
        startedTime: iso(-9 * HOUR),
        completionTime: iso(-8 * HOUR),
      }
      const upgradeable = cond('Upgradeable', 'False', -HOUR, 'AdminAckRequired', 'Kubernetes 1.32 removes APIs')
      clusterVersion(cluster, -HOUR, [done], [upgradeable])
    },
    at: 10 * HOUR,
    states: ['steady'],
  },
}

/** OLM retries an installation again and again. */
function loop(second: number, times: number, reason: string, message: string): readonly CsvStep[] {
  const steps: CsvStep[] = [['Pending', 'RequirementsNotMet', second]]
  for (let i = 0; i < times; i++) {
    const at = second + 20 + i * 340
    steps.push(['Installing', 'InstallWaiting', at, message], ['Failed', reason, at + 300, message])
    steps.push(['Pending', 'NeedsReinstall', at + 302, message])
  }
  return steps
}

function retried(cluster: RawCluster, steps: readonly CsvStep[]): void {
  planned(cluster, 0)
  steps.forEach((_, i) => {
    csv(cluster, TO, steps.slice(0, i + 1), { replaces: FROM })
  })
}

const WAITING = 'installing: waiting for deployment ssp-operator to become ready: 0 of 1 updated replicas are available'

const OLM: Readonly<Record<string, Incident>> = {
  'an administrator froze upgrades by an override of the OperatorCondition': {
    story: (cluster) => {
      const overrides = [cond('Upgradeable', 'False', -HOUR, 'ChangeFreeze', 'year-end freeze of team red')]
      const conditions = [cond('Upgradeable', 'True', -2 * HOUR, 'Upgradeable')]
      cluster.put(-HOUR, 'operatorconditions', csvOf(FROM), { spec: { overrides, conditions } })
      retried(cluster, [
        ['Pending', 'RequirementsUnknown', 5],
        ['Pending', 'OperatorConditionNotUpgradeable', 8, 'operator is not upgradeable: year-end freeze of team red'],
      ])
    },
    at: 50 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'olm.pending', 'not_upgradeable'],
    text: /ChangeFreeze/,
  },
  'a group of the namespace is of no use for the CSV': {
    story: (cluster) => {
      retried(cluster, [
        ['Pending', 'RequirementsUnknown', 5],
        ['Failed', 'UnsupportedOperatorGroup', 9, 'AllNamespaces InstallModeType not supported'],
      ])
    },
    at: 30 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'olm.pending', 'install_failing'],
    text: /UnsupportedOperatorGroup[\s\S]*InstallModeType not supported/,
  },
  'an image is not in the mirror': {
    story: (cluster) => {
      retried(cluster, loop(5, 4, 'InstallCheckFailed', WAITING))
      podEvent(
        cluster,
        60,
        'ssp-operator-6b7c-xk2',
        'Failed',
        'Failed to pull image "mirror.lab:5000/cnv/ssp@sha256:9a1": not found',
      )
    },
    at: 35 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'olm.installing', 'install_failing'],
    text: /ssp-operator-6b7c-xk2 cannot pull image mirror.lab:5000\/cnv\/ssp@sha256:9a1/,
    listed: { text: /failed 4 times/ },
  },
  'a container of the new CSV ends at once': {
    story: (cluster) => {
      retried(cluster, loop(5, 2, 'InstallCheckFailed', WAITING))
      podEvent(
        cluster,
        90,
        'ssp-operator-6b7c-q9',
        'BackOff',
        'Back-off restarting failed container manager in pod ssp-operator-6b7c-q9_openshift-cnv(77)',
      )
    },
    at: 25 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'olm.installing', 'install_failing'],
    text: /Pod ssp-operator-6b7c-q9 crashes/,
    listed: { text: /failed twice|failed 2 times/ },
  },
  'pods of the new CSV do not fit on any node, and OLM has not failed it yet': {
    story: (cluster) => {
      retried(cluster, loop(5, 1, 'InstallCheckFailed', WAITING).slice(0, 2))
      podEvent(
        cluster,
        40,
        'ssp-operator-6b7c-f1',
        'FailedScheduling',
        '0/5 nodes are available: 5 Insufficient memory.',
      )
    },
    at: 13 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'olm.installing', 'install_failing'],
    text: /ssp-operator-6b7c-f1 cannot be scheduled/,
    listed: { stuck: [HCO, 'olm.installing', 'install_failing'], text: /waits for its pods/ },
  },
  'a pod was not ready for a moment': {
    story: (cluster) => {
      podEvent(cluster, 50, 'ssp-operator-6b7c-f1', 'FailedScheduling', '0/5 nodes are available: 5 Insufficient cpu.')
      upgraded(cluster)
    },
    at: 30 * MIN,
    upgrade: DONE,
    states: ['steady'],
  },
  'the installed CSV fails on an API service, and its successor waits': {
    story: (cluster) => {
      const old: readonly CsvStep[] = [
        ['Succeeded', 'InstallSucceeded', -9000],
        ['Failed', 'APIServiceResourceIssue', -100, 'found 1 errors: apiservice v1.upload has no endpoints'],
      ]
      csv(cluster, FROM, old)
      retried(cluster, [['Pending', 'RequirementsUnknown', 5]])
    },
    at: 40 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'olm.pending', 'install_failing'],
    text: /installed CSV .*v4\.18\.3 is Failed \(APIServiceResourceIssue\)[\s\S]*v1\.upload/,
  },
}

const OPERANDS: Readonly<Record<string, Incident>> = {
  'HCO cannot write an operand because of a quota': {
    story: (cluster) => {
      const start = installed(cluster, 0) + 10
      kubevirt(cluster, start, { target: KUBEVIRT_TO, observed: KUBEVIRT_FROM })
      const said = 'Error while reconciling: configmaps is forbidden: exceeded quota: objects, used: 40, limited: 40'
      hco(cluster, start + 5, {
        conditions: [
          cond('ReconcileComplete', 'False', start + 5, 'ReconcileFailed', said),
          ...['Available', 'Progressing', 'Degraded'].map((type) => cond(type, 'Unknown', start + 5, 'StatusUnknown')),
        ],
      })
    },
    at: 40 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'operands.kubevirt', 'reconcile_error'],
    text: /exceeded quota: objects/,
  },
  'KubeVirt failed to create what it needs': {
    story: (cluster) => {
      const start = installed(cluster, 0) + 10
      operandsStarted(cluster, start)
      const said =
        'An error occurred during deployment: unable to create crd virtualmachineclones: request entity too large'
      const conditions = ['Available', 'Progressing'].map((type) =>
        cond(type, 'False', start + 70, 'DeploymentFailed', said),
      )
      kubevirt(cluster, start + 70, { target: KUBEVIRT_TO, observed: KUBEVIRT_FROM, conditions })
    },
    at: 40 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'operands.kubevirt', 'operand_failing'],
    text: /DeploymentFailed[\s\S]*virtualmachineclones/,
  },
  'KubeVirt moves and says nothing, and virt-handler has not begun': {
    story: (cluster) => {
      operandsStarted(cluster, installed(cluster, 0) + 10)
    },
    at: 50 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'operands.kubevirt', 'unknown'],
  },
  'the network operator cannot render its objects': {
    story: (cluster) => {
      const done = operandsDone(cluster, 'networkaddonsconfigs')
      const conditions = [cond('Degraded', 'True', 120, 'FailedToRenderObjects', 'nic bridge2 is not known')]
      operand(cluster, done - 5, 'networkaddonsconfigs', 2, 1, { conditions })
    },
    at: 75 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'operands.network-addons', 'operand_failing'],
    text: /bridge2/,
  },
  'CDI is in phase Error': {
    story: (cluster) => {
      const done = operandsDone(cluster, 'cdis')
      operand(cluster, done - 5, 'cdis', 2, 1, { phase: 'Error', conditions: [cond('Available', 'False', done - 5)] })
    },
    at: 75 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'operands.cdi', 'operand_failing'],
    text: /cdi.*[\s\S]*phase is Error/,
  },
  'an operand reports its version in another spelling, and every condition is good': {
    story: (cluster) => {
      const done = operandsDone(cluster, 'ssps')
      operand(cluster, done - 5, 'ssps', 2, 2, { observedVersion: '0.22.5-0' })
    },
    at: 75 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'operands.ssp', 'operand_failing'],
  },
  'HCO waits a minute after its last operand': {
    story: (cluster) => {
      operandsDone(cluster)
    },
    at: 9 * MIN,
    upgrade: RUNNING,
    states: ['upgrading'],
  },
}

const VIRT_HANDLER: Readonly<Record<string, Incident>> = {
  'the image of the canary cannot be pulled, and nobody but its pod says it': {
    story: (cluster) => {
      const start = installed(cluster, 0) + 10
      operandsStarted(cluster, start)
      virtHandler(cluster, start + 70, 1, NODES - 1, 8)
      podEvent(cluster, start + 80, 'virt-handler-p6xzt', 'Failed', 'Error: ErrImagePull')
    },
    at: 40 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'virt_handler.canary', 'virt_handler_rollout'],
    text: /virt-handler-p6xzt cannot pull its image/,
    listed: { text: /1 of 5 nodes/ },
  },
  'the runtime of one node is down during the waves': {
    story: (cluster) => {
      const start = installed(cluster, 0) + 10
      operandsStarted(cluster, start)
      const said = 'container runtime is down, PLEG is not healthy'
      node(cluster, start + 100, 4, cond('Ready', 'False', start + 100, 'KubeletNotReady', said))
      const last = rolledOut(cluster, start + 70, 4)
      virtHandler(cluster, last + 2, 4, 4, 9)
    },
    at: 75 * MIN,
    upgrade: RUNNING,
    stuck: [HCO, 'virt_handler.waves', 'virt_handler_rollout'],
    text: /wk-4\.lab is not ready/,
  },
  'a rollout of one node each two minutes, while HCO is degraded': {
    story: (cluster) => {
      const start = installed(cluster, 0) + 10
      operandsStarted(cluster, start)
      for (let i = 1; i < NODES; i++) {
        virtHandler(cluster, start + i * 240, i, NODES - 1, i === 1 ? 8 : 9)
        virtHandler(cluster, start + i * 240 + 200, i, NODES, i === 1 ? 8 : 9)
      }
    },
    at: 20 * MIN,
    upgrade: RUNNING,
    states: ['upgrading'],
  },
}

/** Phases of a migration that started. */
const started = (second: number): readonly (readonly [string, number])[] => [
  ['Pending', second],
  ['Scheduling', second + 2],
  ['Running', second + 20],
]

const WORKLOADS: Readonly<Record<string, Incident>> = {
  'migrations fail on a network, each with another address, in the field of older releases': {
    story: (cluster) => {
      let second = upgraded(cluster, 3)
      for (let i = 0; i < 6; i++, second += 400) {
        const failureReason = `unable to connect to server at '10.13.${i}.7:49${i}52': No route to host`
        const steps = [...started(second), ['Failed', second + 31]] as const
        migration(cluster, `kubevirt-workload-update-t${i}`, `db-${i % 3}`, steps, {
          migrationState: { startTimestamp: iso(second + 20), failed: true, failureReason },
        })
      }
    },
    at: 3 * HOUR,
    upgrade: DONE,
    stuck: [HCO, 'workloads', 'migrations_failing'],
    text: /6 migrations of 3 VMs[\s\S]*No route to host/,
    // Those before the list that first has outdated VMs may belong to anything.
    listed: { text: /4 migrations of 3 VMs[\s\S]*No route to host/ },
  },
  'one migration runs for hours while others succeeded': {
    story: (cluster) => {
      const second = upgraded(cluster, 3)
      migration(cluster, 'kubevirt-workload-update-a', 'web-1', [...started(second), ['Succeeded', second + 90]])
      migration(cluster, 'kubevirt-workload-update-b', 'web-2', started(second + 5))
      kubevirt(cluster, second + 95, { target: KUBEVIRT_TO, observed: KUBEVIRT_TO, outdated: 2 })
    },
    at: 4 * HOUR,
    upgrade: DONE,
    stuck: [HCO, 'workloads', 'migration_never_ends'],
    text: /web-2/,
  },
  'the list of update methods is empty': {
    story: (cluster) => {
      upgraded(cluster, 1, [])
    },
    at: 5 * HOUR,
    upgrade: DONE,
    stuck: [HCO, 'workloads', 'workload_method_missing'],
    text: /1 VM is outdated and no update method is set/,
  },
  'no migration is made although both methods are set': {
    story: (cluster) => {
      upgraded(cluster, 7, ['LiveMigrate', 'Evict'])
    },
    at: 6 * HOUR,
    upgrade: DONE,
    stuck: [HCO, 'workloads', 'unknown'],
  },
  'migrations find no node': {
    story: (cluster) => {
      const second = upgraded(cluster, 2)
      for (const [i, vmi] of ['gpu-1', 'gpu-2'].entries()) {
        migration(cluster, `kubevirt-workload-update-g${i}`, vmi, [
          ['Pending', second],
          ['Scheduling', second + 3],
        ])
      }
    },
    at: 4 * HOUR,
    upgrade: DONE,
    stuck: [HCO, 'workloads', 'migrations_pending'],
    text: /2 migrations are waiting for a node/,
  },
  'the VMs are updated one after another, and one migration failed': {
    story: (cluster) => {
      const second = upgraded(cluster, 3)
      const failed = { migrationState: { failed: true, failureReason: 'connection lost' } }
      migration(cluster, 'kubevirt-workload-update-1', 'a-0', [...started(second), ['Failed', second + 40]], failed)
      for (let i = 0; i < 3; i++) {
        const at = second + (i + 1) * 15 * MIN
        migration(cluster, `kubevirt-workload-update-2${i}`, `a-${i}`, [...started(at), ['Succeeded', at + 80]])
        kubevirt(cluster, at + 85, { target: KUBEVIRT_TO, observed: KUBEVIRT_TO, outdated: 2 - i })
      }
    },
    at: HOUR + 15 * MIN,
    upgrade: DONE,
    states: ['steady'],
  },
}

const PLATFORMS: Readonly<Record<string, Incident>> = {
  'a disruption budget forbids the eviction of a pod': {
    story: (cluster) => {
      platformStarted(cluster, 0)
      const said =
        'Node wk-2.lab is reporting: "Cannot evict pod as it would violate the pod\'s disruption budget: team-c/pg"'
      const conditions = [cond('NodeDegraded', 'True', 40 * MIN, '1 nodes are reporting degraded status on sync', said)]
      pool(cluster, 40 * MIN, 'worker', NODES, 2, { degraded: 1, conditions })
    },
    at: 3 * HOUR,
    upgrade: PLATFORM,
    stuck: ['openshift', 'platform.worker', 'node_drain_blocked'],
    text: /team-c\/pg/,
  },
  'a file of the old config was changed by hand': {
    story: (cluster) => {
      platformStarted(cluster, 0)
      const said = 'Node wk-0.lab is reporting: "unexpected on-disk state: content mismatch for file /etc/chrony.conf"'
      const conditions = [
        cond('Degraded', 'True', 30 * MIN),
        cond('NodeDegraded', 'True', 30 * MIN, '1 nodes are reporting degraded status on sync', said),
      ]
      pool(cluster, 30 * MIN, 'infra', 2, 0, { degraded: 1, conditions })
    },
    at: 3 * HOUR,
    upgrade: PLATFORM,
    stuck: ['openshift', 'platform.infra', 'pool_degraded'],
    text: /Machine config pool infra is degraded[\s\S]*chrony\.conf/,
  },
  'a pool makes no progress for two days, and no condition states why': {
    story: (cluster) => {
      platformStarted(cluster, 0)
      pool(cluster, 20 * MIN, 'worker', NODES, 1)
    },
    at: 48 * HOUR,
    upgrade: PLATFORM,
    stuck: ['openshift', 'platform.worker', 'unknown'],
  },
  'a pool is paused on purpose, and the platform is completed': {
    story: (cluster) => {
      platformStarted(cluster, 0, 'Completed')
      pool(cluster, 20 * MIN, 'gpu', 4, 0, { isPaused: true })
    },
    at: 30 * HOUR,
    upgrade: 'openshift 4.18.20>4.18.24 succeeded',
    states: ['paused_pool'],
  },
  'nodes go one after another': {
    story: (cluster) => {
      platformStarted(cluster, 0)
      for (let i = 0; i < 4; i++) pool(cluster, 20 * MIN + i * 8 * MIN, 'worker', NODES, i)
    },
    at: 50 * MIN,
    upgrade: PLATFORM,
    states: ['upgrading'],
  },
}

const AFTERWARDS: Readonly<Record<string, Incident>> = {
  'the CSV lost a permission days after its upgrade, and OLM tries again': {
    story: (cluster) => {
      upgraded(cluster)
      const day = 3 * 24 * HOUR
      const missing = 'Policy rule not satisfied for service account'
      csv(cluster, TO, [
        ['Succeeded', 'InstallSucceeded', 100],
        ['Failed', 'RequirementsNotMet', day, missing],
        ['Pending', 'RequirementsNotMet', day + 5, missing],
      ])
    },
    at: 3 * 24 * HOUR + 30 * MIN,
    upgrade: DONE,
    states: ['unhealthy'],
    text: /was installed and is now Pending \(RequirementsNotMet\)/,
  },
  'a DaemonSet keeps an old virt-handler although HCO reports the end': {
    story: (cluster) => {
      const second = upgraded(cluster)
      virtHandler(cluster, second + 10, 3, NODES, 10)
    },
    at: 2 * HOUR,
    upgrade: DONE,
    states: ['unhealthy'],
    text: /3 of 5 nodes/,
  },
  'HyperConverged is degraded by an operand without an upgrade': {
    story: (cluster) => {
      const said = 'CDI is degraded: no default storage class for scratch space'
      hco(cluster, HOUR, { conditions: [cond('Degraded', 'True', HOUR, 'CDIDegraded', said)] })
    },
    at: 2 * HOUR,
    states: ['unhealthy'],
    text: /scratch space/,
  },
  'HyperConverged was degraded for a minute': {
    story: (cluster) => {
      hco(cluster, HOUR, { conditions: [cond('Degraded', 'True', HOUR, 'SSPDegraded', 'SSP is degraded: one pod')] })
      hco(cluster, HOUR + 60, {})
    },
    at: 2 * HOUR,
    states: ['steady'],
  },
}

const GROUPS = { PLANNING, OLM, OPERANDS, VIRT_HANDLER, WORKLOADS, PLATFORMS, AFTERWARDS }

describe.each(Object.entries(GROUPS))('%s', (_group, incidents) => {
  test.each(Object.entries(incidents))('%s', (_name, incident) => {
    const [watched, listed] = reportsOf(incident)
    expectReport(watched, incident)
    expectReport(listed, { ...incident, ...incident.listed })
  })
})
