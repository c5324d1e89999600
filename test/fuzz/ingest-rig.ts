import { Intake } from '../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import type { Refusal } from '../../src/model/refusal.ts'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { openWriter, type StoreWriter } from '../../src/store/writer.ts'
import { tempDir } from '../support/temp-dir.ts'
import { NOW_MS } from './bodies.ts'
import { NotingAppender } from './noting-appender.ts'

/** The whole of ingest into a real store, and what must hold of any outcome. */

/** Of a body after decompression: small, so that inputs reach the limit. */
export const LIMIT_BYTES = 256 * 1024
export const INGEST_OPTIONS = { ...INGEST_DEFAULTS, decodedBytesMax: LIMIT_BYTES }
/** A store is left before what it has learned takes long to close. */
export const SESSION_INPUTS = 20_000

export interface IngestRig {
  readonly writer: StoreWriter
  readonly appender: NotingAppender
  readonly intake: Intake
  /** Commits after every 500 calls. */
  settle(): Promise<void>
  readonly close: () => Promise<void>
}

export function openIngest(): IngestRig {
  const dir = tempDir('fuzz')
  const writer = openWriter({ ...STORE_DEFAULTS, dir: dir.path }, NOW_MS)
  const appender = new NotingAppender(writer.appender)
  let calls = 0
  return {
    writer,
    appender,
    intake: new Intake(appender, INGEST_OPTIONS),
    settle: async () => {
      if (++calls % 500 === 0) await writer.commit()
    },
    close: async () => {
      await writer.close()
      dir.remove()
    },
  }
}

interface Outcome {
  readonly status: number
  readonly message: string
  readonly refusals: readonly Refusal[]
}

/**
 * What must hold of any outcome; whether the body was broken, refused in part or taken.
 * @param accounted taken items, when the body was read; what a standby sends counts as refused
 */
export function checkOutcome({ appender }: IngestRig, outcome: Outcome, received: number, accounted: number): string {
  const refused = outcome.refusals.reduce((sum, { count }) => sum + count, 0)
  const isBroken = isBrokenBody(outcome)
  if (isBroken) {
    if (outcome.status !== 400 || refused !== 1) throw new Error(`a broken body is a 400: ${JSON.stringify(outcome)}`)
    if (appender.seriesAsked + appender.samplesOffered > 0) throw new Error('a refused body left something behind')
  } else if (accounted + refused !== received) {
    throw new Error(`${received} received, ${accounted} taken and ${refused} refused: ${JSON.stringify(outcome)}`)
  }
  if (Buffer.byteLength(outcome.message) > 1024) throw new Error('the message is longer than senders read')
  return isBroken ? 'broken' : refused > 0 ? 'refused' : accounted > 0 ? 'taken' : 'empty'
}

export function isBrokenBody({ refusals }: Pick<Outcome, 'refusals'>): boolean {
  return refusals.some(({ reason }) => reason === 'bad_encoding' || reason === 'request_too_large')
}
