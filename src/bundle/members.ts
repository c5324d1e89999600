/** The members of a bundle from its redacted content: the data as JSON, the runbooks, the page, and the checksums. */
import { Slice } from '../base/thread-slices.ts'
import type { Cancellation } from '../base/cancellation.ts'
import type { RedactionName } from '../model/redaction.ts'
import { FORMAT, MANIFEST, sha256, sumsOf } from './archive/checksums.ts'
import type { Member } from './archive/zip.ts'
import { json, jsonLines, type BundleContent, type Tree } from './content.ts'
import { cutText } from './limits.ts'
import { bundlePage } from './page/page.ts'

export interface Redacted {
  readonly profile: RedactionName
  /** How often something was replaced, by kind. Never what. */
  readonly counts: Readonly<Record<string, number>>
}

export async function membersOf(
  content: BundleContent,
  redaction: Redacted,
  rowsMax: number,
  signal?: Cancellation,
): Promise<readonly Member[]> {
  const slice = new Slice()
  const write = async (name: string, texts: Iterable<string>): Promise<Member> => {
    const parts: Buffer[] = []
    for (const text of texts) {
      parts.push(Buffer.from(text))
      if (slice.isOver) await slice.next(signal)
    }
    return { name, bytes: Buffer.concat(parts) }
  }
  const list = (name: string, items: readonly unknown[]): Promise<Member> =>
    write(name, jsonLines(items as readonly Tree[]))
  const { record, phases, alerts, objects, samples, spans, logs, rules, runbooks, queries, requests } = content
  const files = [
    await write('record.json', [`${json(record, 2)}\n`]),
    await list('phases.json', phases),
    await list('alerts.json', alerts),
    await list('objects.json', objects),
    await list('samples.json', samples),
    await list('trace.json', spans),
    await list('logs.json', logs),
    await list('rules.json', rules),
    await write('queries.json', [`${json({ promql: queries, requests } as unknown as Tree, 2)}\n`]),
    ...(await Promise.all(runbooks.map(({ markdown }, i) => write(`runbooks/runbook-${i + 1}.md`, [markdown])))),
  ]
  const shown = files.map(fileOf)
  const page = await write(
    'index.html',
    bundlePage({
      content,
      cuts: content.cuts.map(cutText),
      redaction: redactionText(redaction),
      files: shown,
      rowsMax,
    }),
  )
  const listed = [page, ...files]
  const manifest = await write(MANIFEST, [`${json(manifestOf(content, redaction, listed.map(fileOf)), 2)}\n`])
  const summed = [...listed, manifest]
  return [...summed, sumsOf(summed)]
}

function fileOf({ name, bytes }: Member) {
  return { name, bytes: bytes.length, sha256: sha256(bytes) }
}

function manifestOf(content: BundleContent, redaction: Redacted, members: ReturnType<typeof fileOf>[]): Tree {
  const { kind, id, title, window, asOfMs, versions, cuts, faults, runbooks } = content
  const time = (ms: number): string => new Date(ms).toISOString()
  return {
    format: FORMAT,
    versions: { ...versions },
    subject: { kind, id, title },
    window: { from: time(window.fromMs), to: time(window.toMs), asOf: time(asOfMs) },
    counts: {
      ...{ alerts: content.alerts.length, objects: content.objects.length, queries: content.samples.length },
      ...{ spans: content.spans.length, logs: content.logs.length, rules: content.rules.length },
    },
    redaction: { profile: redaction.profile, replaced: redaction.counts },
    cuts: cuts.map((cut) => ({ ...cut, text: cutText(cut) })),
    faults,
    runbooks: runbooks.map(({ name, revision }, i) => ({ name, revision, member: `runbooks/runbook-${i + 1}.md` })),
    members,
  }
}

function redactionText({ profile, counts }: Redacted): string {
  if (profile === 'none') return 'Nothing is redacted.'
  const parts = Object.entries(counts).map(([kind, count]) => `${kind} ${count.toLocaleString('en-US')}`)
  return `Profile ${profile}: ${parts.length === 0 ? 'nothing was found to replace' : `replaced ${parts.join(', ')}`}.`
}
