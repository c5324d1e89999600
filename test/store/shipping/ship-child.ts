import { writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { POSTGRES_DEFAULTS } from '../../../src/store/postgres/options.ts'
import { createPool } from '../../../src/store/postgres/pool.ts'
import { openChangeSource } from '../../../src/store/shipping/change-source.ts'
import { Shipper } from '../../../src/store/shipping/shipper.ts'

// Ships a data directory until it is killed, and says on stdout after each step what is left.

const NOW_MS = 1_760_000_000_000
const [dir, url] = process.argv.slice(2)
const pool = await createPool({ ...POSTGRES_DEFAULTS, url: url! })
const shipper = new Shipper(openChangeSource(dir!).db, pool)
for (;;) {
  const { changesLeft } = await shipper.step(NOW_MS)
  writeSync(1, `left ${changesLeft ?? 'all'}\n`)
  if (changesLeft === 0) await setTimeout(5)
}
