import { valueText } from '../../model/attribute-text.ts'
import type { LogRecord } from '../../model/log-record.ts'
import type { BundleLog } from '../content.ts'
import { Bounded, cutOf, shortened, type BundleLimits } from '../limits.ts'
import { attributeTexts, checkWaiting, sizeOf, type BundleSources, type Part, type ReadContext } from './context.ts'

/** Of one read: records in memory at a time. */
const PAGE = 1000

/** The log records of the clusters in the window. Of too many the newest, with the number of all as far as they are counted. */
export async function readLogs(read: BundleSources['logs'], context: ReadContext): Promise<Part<BundleLog>> {
  const { clusters, limits } = context
  const taken = new Bounded<BundleLog>(limits.logsMax, limits.partBytesMax)
  let counted = 0
  let isMore = false
  for (const cluster of clusters) {
    for await (const record of newestFirst(read, cluster, context)) {
      if (counted >= limits.logsCountedMax) {
        isMore = true
        break
      }
      counted++
      const item = logOf(record, limits)
      taken.add(item, item.body.length + item.service.length + sizeOf(item.attributes))
    }
  }
  return {
    items: taken.items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    cuts: cutOf('log records', taken.items.length, counted, isMore),
  }
}

/** Page by page. A page starts at the time of the last record before it, without the records of that time that were read. */
async function* newestFirst(
  read: BundleSources['logs'],
  cluster: string,
  context: ReadContext,
): AsyncGenerator<LogRecord> {
  const { fromMs, toMs } = context.subject.window
  const fromNs = BigInt(Math.max(0, fromMs)) * 1_000_000n
  let toNs = BigInt(Math.max(0, toMs)) * 1_000_000n + 999_999n
  let atEnd = 0
  for (;;) {
    checkWaiting(context)
    const limit = PAGE + atEnd
    const page = await read({ cluster, fromNs, toNs, limit })
    const fresh = page.slice(atEnd)
    yield* fresh
    const last = fresh.at(-1)
    if (page.length < limit || last === undefined) return
    atEnd = (last.timeNs === toNs ? atEnd : 0) + fresh.filter(({ timeNs }) => timeNs === last.timeNs).length
    toNs = last.timeNs
  }
}

function logOf(record: LogRecord, { textCharsMax }: BundleLimits): BundleLog {
  const { timeNs, cluster, service, severity, severityText, body, attributes, traceId, spanId } = record
  const withoutZone = new Date(Number(timeNs / 1_000_000n)).toISOString().slice(0, -1)
  return {
    at: `${withoutZone}${String(timeNs % 1_000_000n).padStart(6, '0')}Z`,
    ...{ cluster, service, severity, severityText },
    body: shortened(valueText(body), textCharsMax),
    attributes: attributeTexts(attributes, textCharsMax),
    ...{ traceId, spanId },
  }
}
