import type { SpanEvidence } from '../../src/model/observation.ts'
import { csvName, productVersion } from '../cluster-profile.ts'
import { hashOf } from '../random.ts'
import type { ClusterHistory, HcoUpgrade } from './cluster-history.ts'
import { installPlanName } from './objects/olm.ts'

/** A span with its place in the trace. */
export interface OperatorSpan extends SpanEvidence {
  /** Absent: it is the root. */
  readonly parentSpanId?: string
}

/** What an instrumented operator sends of its upgrades: each span when it is over. */
export function upgradeSpans(history: ClusterHistory): readonly OperatorSpan[] {
  if (!history.tells.spans) return []
  return history.upgrades.flatMap((upgrade) => spansOf(history, upgrade)).filter(({ endMs }) => endMs < history.untilMs)
}

function spansOf(history: ClusterHistory, upgrade: HcoUpgrade): readonly OperatorSpan[] {
  const { profile } = history
  const { csv, components } = upgrade
  const traceId = [0, 1, 2, 3].map((part) => hex(csv.uid, 'trace', part)).join('')
  const from = productVersion(profile, upgrade.from)
  const to = productVersion(profile, upgrade.to)
  const idOf = (path: string): string => hex(csv.uid, path, 0) + hex(csv.uid, path, 1)
  const span = (
    name: string,
    [path, parent]: readonly [path: string, parent?: string],
    startMs: number,
    endMs: number,
    attributes: Readonly<Record<string, string>>,
  ): OperatorSpan[] =>
    startMs === Infinity || endMs === Infinity
      ? []
      : [
          {
            ...{ cluster: profile.name, traceId, spanId: idOf(path) },
            ...(parent === undefined ? {} : { parentSpanId: idOf(parent) }),
            ...{ name, startMs, endMs, isError: false, errorMessage: '' },
            attributes: {
              'upgrade.from.version': from,
              'upgrade.to.version': to,
              'deployment.id': csv.uid,
              ...attributes,
            },
          },
        ]
  return [
    ...span('upgrade kubevirt-hyperconverged', ['root'], csv.createdMs, upgrade.endMs, {
      'deployment.name': csvName(profile, upgrade.to),
      'deployment.status': 'succeeded',
      'olm.subscription.name': profile.subscriptionName,
      'olm.channel': profile.channel,
      'olm.install_plan.name': installPlanName(history, upgrade),
      'upgrade.source': 'operator',
    }),
    ...span('hco.reconcile', ['hco', 'root'], upgrade.hcoStartMs, upgrade.endMs, {
      'k8s.condition.type': 'Progressing',
      'k8s.condition.reason': 'HCOUpgrading',
    }),
    ...components.flatMap((component) =>
      span('component.upgrade', [component.name, 'hco'], component.startMs, component.endMs, {
        'component.name': component.name,
        'component.from.version': component.from,
        'component.to.version': component.to,
      }),
    ),
  ]
}

function hex(...name: readonly (string | number)[]): string {
  return hashOf(...name)
    .toString(16)
    .padStart(8, '0')
}
