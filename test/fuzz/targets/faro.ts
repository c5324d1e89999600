import { FARO_LIMITS, receiveFaro } from '../../../src/ingest/faro.ts'
import { DecodeError } from '../../../src/wire/decode-error.ts'
import { FARO as BODIES, NOW_MS } from '../bodies.ts'
import { jsonBodies } from '../json-bodies.ts'
import { BYTES, NOTHING_TO_CLOSE, oneByOne, type Target } from '../target.ts'

const faro: Target<Uint8Array> = {
  name: 'faro',
  claim: 'A body of browser telemetry becomes a bounded number of items, or is refused.',
  inputs: { suite: 500, long: 800_000 },
  shares: { accepted: 0.3, refused: 0.1 },
  open: () => ({
    make: jsonBodies(BODIES),
    check: oneByOne((body) => {
      try {
        const outcome = receiveFaro(body, NOW_MS)
        if (outcome.kind === 'accepted' && outcome.items.records.length > FARO_LIMITS.itemsMax)
          throw new Error(`got ${outcome.items.records.length} items`)
        return outcome.kind
      } catch (thrown) {
        if (thrown instanceof DecodeError) return 'refused'
        throw thrown
      }
    }),
    ...BYTES,
    ...NOTHING_TO_CLOSE,
  }),
}

export const FARO = [faro]
