/**
 * Faults of pods, as their warning events report them: an image that cannot be pulled, a container that crashes, a pod that
 * cannot be scheduled. A Deployment or DaemonSet reports only that it waits for its pods.
 */
import type { EventFacts } from '../../model/object-facts.ts'
import type { Evidence, PhaseName } from '../../model/upgrade.ts'
import { objectEvidence } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'

export interface PodFault {
  readonly kind: FaultKind
  readonly pod: string
  /** The image that cannot be pulled. */
  readonly image: string | undefined
  readonly message: string
  readonly firstMs: number
  readonly lastMs: number
  readonly ref: string
}

type FaultKind = keyof typeof FAULTS

/** The most exact first: a pod whose image is missing has no other fault. What happened, then what to do. */
const FAULTS = {
  image: ['cannot pull', 'Check that the cluster can reach the registry, that the image exists and the pull secret.'],
  crash: ['crashes', 'Read the log of its previous container.'],
  unscheduled: ['cannot be scheduled', 'Add capacity, or correct the taints and node selectors.'],
  volume: ['cannot mount a volume', 'Create or correct the volume, Secret or ConfigMap.'],
} as const

/** The reasons of the kubelet and the scheduler. `Failed` and `BackOff` are of images and of containers. */
function kindOf({ reason, message }: EventFacts): FaultKind | undefined {
  if (reason === 'FailedScheduling') return 'unscheduled'
  if (reason === 'FailedMount' || reason === 'FailedAttachVolume') return 'volume'
  if (reason === 'InspectFailed' || reason === 'ErrImageNeverPull') return 'image'
  if (reason !== 'Failed' && reason !== 'BackOff') return undefined
  if (IMAGE.test(message) || /ImagePull|InvalidImageName/.test(message)) return 'image'
  return reason === 'BackOff' || /container/i.test(message) ? 'crash' : undefined
}

/** `Failed to pull image "X": ...`, `Back-off pulling image "X"`. */
const IMAGE = /pull(?:ing)? image "([^"]+)"/

export interface PodsOf {
  readonly namespace: string
  /** Names of Deployments or DaemonSets; empty: all pods of the namespace. */
  readonly owners: readonly string[]
  readonly fromMs: number
}

/** One fault for each pod, the most exact kind first, then the newest. */
export function podFaults(history: ClusterHistory, { namespace, owners, fromMs }: PodsOf): readonly PodFault[] {
  const byPod = new Map<string, PodFault>()
  const isOwned = (pod: string): boolean => owners.length === 0 || owners.some((owner) => pod.startsWith(`${owner}-`))
  for (const { states } of history.of('events')) {
    const { facts } = states.at(-1)!
    const fault = faultOf(facts)
    if (fault === undefined || facts.objectNamespace !== namespace) continue
    if (fault.lastMs < fromMs || !isOwned(fault.pod)) continue
    const known = byPod.get(fault.pod)
    if (known === undefined || compareFaults(fault, known) < 0) byPod.set(fault.pod, fault)
  }
  return [...byPod.values()].sort(compareFaults)
}

function faultOf(facts: EventFacts): PodFault | undefined {
  const kind = facts.objectKind === 'Pod' ? kindOf(facts) : undefined
  const lastMs = facts.lastMs ?? facts.firstMs
  if (kind === undefined || lastMs === undefined) return undefined
  const { objectName: pod, objectNamespace, message, firstMs = lastMs } = facts
  return { kind, pod, image: IMAGE.exec(message)?.[1], message, firstMs, lastMs, ref: `pods/${objectNamespace}/${pod}` }
}

const RANKS = Object.keys(FAULTS)

function compareFaults(a: PodFault, b: PodFault): number {
  return (
    RANKS.indexOf(a.kind) - RANKS.indexOf(b.kind) ||
    Number(a.image === undefined) - Number(b.image === undefined) ||
    b.lastMs - a.lastMs ||
    (a.pod + a.message < b.pod + b.message ? -1 : 1)
  )
}

export function podFaultText({ kind, pod, image }: PodFault): string {
  const [happened, action] = FAULTS[kind]
  const what = kind === 'image' ? ` ${image === undefined ? 'its image' : `image ${image}`}` : ''
  return `Pod ${pod} ${happened}${what}. ${action}`
}

const EVIDENCE_MAX = 5

export function podEvidence(faults: readonly PodFault[], phase: PhaseName): readonly Evidence[] {
  return faults.slice(0, EVIDENCE_MAX).map(({ lastMs, pod, message, ref }) => {
    return objectEvidence(lastMs, `pod ${pod}: ${message}`, ref, phase)
  })
}
