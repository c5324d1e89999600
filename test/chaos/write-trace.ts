/** The trace that `disk-shim.c` records: the changes of the files below a folder, in the order in which they happened. */
export interface TraceRecord {
  readonly kind: 'create' | 'write' | 'truncate' | 'sync' | 'unlink' | 'rename' | 'sync_folder'
  readonly path: string
  /** Of a write: where it begins. Of a truncation: the new size. */
  readonly offset: number
  /** Of a write: its bytes. Of a renaming: the new path. */
  readonly data: Buffer
  /** Place in the trace at which the record ends. */
  readonly end: number
}

const HEAD_BYTES = 16
const KINDS: Readonly<Record<string, TraceRecord['kind']>> = {
  ...{ C: 'create', W: 'write', T: 'truncate', S: 'sync', U: 'unlink', R: 'rename', D: 'sync_folder' },
}

/** Throws for a trace that ends in the middle of a record. */
export function* readTrace(trace: Buffer): Generator<TraceRecord> {
  for (let at = 0; at < trace.length;) {
    const dataBytes = trace.readUInt32LE(at)
    const pathBytes = trace.readUInt16LE(at + 4)
    const kind = KINDS[String.fromCharCode(trace[at + 6]!)]
    const dataAt = at + HEAD_BYTES + pathBytes
    const end = dataAt + dataBytes
    if (kind === undefined || end > trace.length) throw new Error(`the trace has no whole record at ${at}`)
    const path = trace.toString('utf8', at + HEAD_BYTES, dataAt)
    yield { kind, path, offset: Number(trace.readBigUInt64LE(at + 8)), data: trace.subarray(dataAt, end), end }
    at = end
  }
}

/** Index of the log in memory: it is mapped, so the trace does not have its content. */
export const isMapped = (path: string): boolean => path.endsWith('-shm')
