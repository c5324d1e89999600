import {
  REFUSED_DUPLICATE,
  REFUSED_OUT_OF_ORDER,
  REFUSED_TOO_OLD,
  type APPENDED,
  type APPENDED_BEFORE,
  type AppendOutcome,
} from '../model/appender.ts'
import type { RefusalReason } from '../model/refusal.ts'
import { CLUSTER_LABEL, clusterOf } from '../model/cluster-identity.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'
import type { RawLabel } from '../wire/label-fields.ts'
import { clipText } from './clip-text.ts'
import { foreignClaim, senderOfSeries } from './cluster-claim.ts'
import type { ClaimingSender } from './cluster-registry.ts'
import type { IngestOptions } from './options.ts'
import type { RefusedSeries } from './refusals.ts'

/**
 * Admission of a new series: from labels as sent to the stored label set, or to a refusal. Cold: runs once per label
 * set, `IdentityTable` remembers the result. Applies Prometheus' rules (names may be any UTF-8 since 3.0), limits from
 * the options, and the identity of the cluster, on which every page and rule relies.
 */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly labels: Labels
      /** False: no label names a cluster. Accepted, and counted as unidentified. */
      readonly isIdentified: boolean
      /** What its labels say about its cluster; absent when it is not identified. */
      readonly sender?: ClaimingSender
      /** The HA replica that sent it; the replica label is removed. Absent: no replica label. */
      readonly replica?: { readonly cluster: string; readonly group: string; readonly name: string }
      /** The labels that are not stored, as one text; absent: rules drop no labels. */
      readonly dropped?: string
    }
  | ({ readonly kind: 'refused' } & RefusedSeries)

type AdmissionOptions = Pick<
  IngestOptions,
  | 'labelsPerSeriesMax'
  | 'labelNameBytesMax'
  | 'labelValueBytesMax'
  | 'identityLabels'
  | 'haReplicaLabel'
  | 'haGroupLabel'
>

/** @param boundCluster the only cluster that this sender may report; absent when it may report any */
export function admit(
  raw: readonly RawLabel[],
  boundCluster: string | undefined,
  options: AdmissionOptions,
): Admission {
  const { labelsPerSeriesMax, labelNameBytesMax, labelValueBytesMax } = options
  if (raw.length > labelsPerSeriesMax) {
    return refused('too_many_labels', `${nameOf(raw)} has more labels than ingest.labels-max, ${labelsPerSeriesMax}`)
  }
  const plain = plainLabels(raw, options)
  if (plain !== undefined) return identify(plain, boundCluster, options)
  const byName = new Map<string, string>()
  for (const { name, value, nameBytes, valueBytes } of raw) {
    if (nameBytes > labelNameBytesMax) {
      return refused(
        'label_name_too_long',
        `${nameOf(raw)} has a label name of ${nameBytes} bytes, want at most ingest.label-name-bytes-max, ${labelNameBytesMax}`,
      )
    }
    if (name === undefined) return refused('bad_labels', `${nameOf(raw)} has a label name that is not UTF-8`)
    if (name === '') return refused('bad_labels', `${nameOf(raw)} has a label without a name`)
    if (valueBytes > labelValueBytesMax) {
      return refused(
        'label_value_too_long',
        `label ${quote(name)} of ${nameOf(raw)} has ${valueBytes} bytes, want at most ingest.label-value-bytes-max, ${labelValueBytesMax}`,
      )
    }
    if (value === undefined) {
      return refused('bad_labels', `label ${quote(name)} of ${nameOf(raw)} has a value that is not UTF-8`)
    }
    // `Labels.key` joins with this character: with it inside, two label sets could have one key.
    if (name.includes('\0') || value.includes('\0')) {
      return refused('bad_labels', `label ${quote(name)} of ${nameOf(raw)} contains the character U+0000`)
    }
    if (byName.has(name)) return refused('repeated_label', `label ${quote(name)} is repeated in ${nameOf(raw)}`)
    byName.set(name, value)
  }
  const labels = Labels.fromPairs(byName)
  if (labels.metricName === '') {
    return refused('no_metric_name', `series ${labels.toString()} has no label ${METRIC_NAME}, or an empty one`)
  }
  return identify(labels, boundCluster, options)
}

/**
 * The label set of labels as stock senders write them: valid, sorted, with a metric name. `undefined`: needs the full
 * check.
 */
function plainLabels(raw: readonly RawLabel[], options: AdmissionOptions): Labels | undefined {
  const { labelNameBytesMax, labelValueBytesMax } = options
  const flat: string[] = []
  let last = ''
  let isNamed = false
  for (const { name, value, nameBytes, valueBytes, isText } of raw) {
    if (isText !== true || nameBytes > labelNameBytesMax || valueBytes > labelValueBytesMax || name! <= last)
      return undefined
    if (name === METRIC_NAME) isNamed = true
    flat.push(name!, value!)
    last = name!
  }
  return isNamed ? Labels.fromFlat(flat) : undefined
}

/**
 * Sets `cluster` to the cluster of the series: the one that the token is bound to, else the one that the labels name. A
 * bound sender may not claim another cluster.
 */
function identify(labels: Labels, boundCluster: string | undefined, options: AdmissionOptions): Admission {
  const { identityLabels } = options
  const claim = boundCluster === undefined ? undefined : foreignClaim(labels, boundCluster, identityLabels)
  if (boundCluster !== undefined && claim !== undefined) {
    const claimed = quote(labels.get(claim))
    return refused(
      'cluster_mismatch',
      `${labels.metricName} claims cluster ${claimed} by label ${claim}, the token is bound to ${quote(boundCluster)}`,
    )
  }
  const cluster = boundCluster ?? clusterOf(labels, identityLabels)
  if (cluster === '') return { kind: 'admitted', labels, isIdentified: false }
  const sender = senderOfSeries(labels, cluster, boundCluster !== undefined, identityLabels)
  return oneOfReplicas(labels.with(CLUSTER_LABEL, cluster), sender, options)
}

/**
 * Removes the replica label of an identified series: all replicas write the same series, so that it continues after a
 * failover. Without a cluster the replica's owner is unknown, and the label stays.
 */
function oneOfReplicas(labels: Labels, sender: ClaimingSender, options: AdmissionOptions): Admission {
  const { haReplicaLabel, haGroupLabel } = options
  const name = labels.get(haReplicaLabel)
  if (name === '') return { kind: 'admitted', labels, isIdentified: true, sender }
  return {
    kind: 'admitted',
    labels: labels.drop(new Set([haReplicaLabel])),
    isIdentified: true,
    sender,
    replica: { cluster: sender.cluster, group: labels.get(haGroupLabel), name },
  }
}

function refused(reason: RefusalReason, example: string): Admission {
  return { kind: 'refused', reason, example }
}

/** The name of a refused label set in messages: its metric name, if readable. */
function nameOf(raw: readonly RawLabel[]): string {
  const name = raw.find((label) => label.name === METRIC_NAME)?.value
  return name === undefined || name === '' ? 'a series without a name' : clipText(name, 80)
}

function quote(text: string): string {
  return JSON.stringify(clipText(text, 80))
}

export type RefusedAppend = Exclude<AppendOutcome, typeof APPENDED | typeof APPENDED_BEFORE>

/** The texts are Prometheus' own: senders' logs are searched for them. */
export const APPEND_REFUSALS: Readonly<
  Record<RefusedAppend, { readonly reason: RefusalReason; readonly text: string }>
> = {
  [REFUSED_DUPLICATE]: { reason: 'duplicate_sample', text: 'duplicate sample for timestamp' },
  [REFUSED_OUT_OF_ORDER]: { reason: 'out_of_order', text: 'out of order sample' },
  [REFUSED_TOO_OLD]: { reason: 'too_old', text: 'too old sample' },
}
