/**
 * The data of a notification's template: the fields of Alertmanager, and for each alert its cluster, value and threshold,
 * and the links to its pages.
 */
import { withoutPause } from '../base/thread-slices.ts'
import { CLUSTER_ALIASES, clusterOf } from '../model/cluster-identity.ts'
import { compareText } from '../model/labels.ts'
import { wantText, wrongType } from '../template/function.ts'
import {
  TemplateError,
  type Behaviour,
  type ListValue,
  type MapValue,
  type RootValue,
  type Value,
} from '../template/value.ts'
import { commonPairs, quotedReceiver, statusOf, type Message, type MessageAlert } from './message.ts'

export function templateData(message: Message): RootValue {
  const { alerts } = message
  return {
    kind: 'root',
    fields: {
      Receiver: quotedReceiver(message.receiver),
      Status: statusOf(alerts),
      Alerts: alertList(alerts, message),
      GroupLabels: kv(message.groupLabels.toObject()),
      CommonLabels: kv(withoutPause(commonPairs(alerts.map(({ labels }) => labels.toObject())))),
      CommonAnnotations: kv(withoutPause(commonPairs(alerts.map(({ annotations }) => annotations)))),
      ExternalURL: message.externalUrl,
    },
  }
}

function alertList(alerts: readonly MessageAlert[], message: Message): ListValue {
  const only = (status: MessageAlert['status']): ListValue => {
    const matching = alerts.filter((alert) => alert.status === status)
    return alertList(matching, message)
  }
  const behaviour: Behaviour = {
    typeName: 'template.Alerts',
    methods: { Firing: method(() => only('firing')), Resolved: method(() => only('resolved')) },
  }
  return { kind: 'list', items: alerts.map((alert) => alertValue(alert, message)), behaviour }
}

function alertValue(alert: MessageAlert, { externalUrl }: Message): RootValue {
  const page = `${externalUrl}/alerts/${encodeURIComponent(alert.fingerprint)}`
  const name = alert.labels.get('alertname')
  const own = Object.hasOwn(alert.annotations, 'runbook_url') ? alert.annotations['runbook_url'] : undefined
  return {
    kind: 'root',
    fields: {
      Status: alert.status,
      Labels: kv(alert.labels.toObject()),
      Annotations: kv(alert.annotations),
      StartsAt: { kind: 'time', ms: alert.startsAtMs },
      EndsAt: { kind: 'time', ms: alert.endsAtMs },
      GeneratorURL: alert.generatorUrl,
      Fingerprint: alert.fingerprint,
      Cluster: clusterOf(alert.labels, CLUSTER_ALIASES),
      Value: alert.value ?? '',
      Threshold: alert.threshold ?? '',
      RunbookURL: own ?? `${externalUrl}/rb/${encodeURIComponent(name)}?instance=${alert.fingerprint}`,
      PageURL: page,
      SilenceURL: `${page}?do=silence`,
      AcknowledgeURL: `${page}?do=acknowledge`,
    },
  }
}

/** Alertmanager's KV: a map of texts with ordered pairs, the alert's name first. */
export function kv(record: Readonly<Record<string, string>>): MapValue {
  const pairs = Object.entries(record).sort(([a], [b]) => rank(a) - rank(b) || compareText(a, b))
  const without = (args: readonly Value[]): MapValue => {
    const [list] = args
    if (args.length !== 1) throw new TemplateError(`wrong number of args for Remove: want 1 got ${args.length}`)
    if (typeof list !== 'object' || list?.kind !== 'list') throw wrongType('[]string', list)
    const removed = new Set(list.items.map(wantText))
    return kv(Object.fromEntries(pairs.filter(([name]) => !removed.has(name))))
  }
  return {
    kind: 'map',
    element: 'string',
    entries: new Map(pairs),
    behaviour: {
      typeName: 'template.KV',
      print: () => pairsText(pairs),
      methods: {
        SortedPairs: method(() => pairList(pairs)),
        Names: method(() => texts(pairs.map(([name]) => name))),
        Values: method(() => texts(pairs.map(([, value]) => value))),
        Remove: without,
      },
    },
  }
}

function pairList(pairs: readonly (readonly [string, string])[]): ListValue {
  return {
    kind: 'list',
    items: pairs.map(([name, value]) => ({ kind: 'root', fields: { Name: name, Value: value } })),
    behaviour: {
      typeName: 'template.Pairs',
      print: () => pairsText(pairs),
      methods: {
        Names: () => texts(pairs.map(([name]) => name)),
        Values: () => texts(pairs.map(([, value]) => value)),
      },
    },
  }
}

export function texts(items: readonly string[]): ListValue {
  return { kind: 'list', items, behaviour: { typeName: '[]string', methods: {} } }
}

function pairsText(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join(', ')
}

function rank(name: string): number {
  return name === 'alertname' ? 0 : 1
}

/** A method without arguments. */
function method(call: () => Value): (args: readonly Value[]) => Value {
  return (args) => {
    if (args.length > 0) throw new TemplateError(`wrong number of args: want 0 got ${args.length}`)
    return call()
  }
}
