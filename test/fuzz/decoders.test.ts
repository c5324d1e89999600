import { expect, test } from 'vitest'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import { NOW_MS, V1, V2 } from './bodies.ts'
import { openIngest } from './ingest-rig.ts'
import { testTargets } from './suite.ts'
import { ALERTMANAGER } from './targets/alertmanager.ts'
import { BUNDLES } from './targets/bundles.ts'
import { FARO } from './targets/faro.ts'
import { JSON_PATCHES } from './targets/json-patches.ts'
import { K8S } from './targets/objects.ts'
import { OTLP } from './targets/otlp.ts'
import { REMOTE_WRITE } from './targets/remote-write.ts'
import { STORED_BYTES } from './targets/stored-bytes.ts'
import { UPDATE_GRAPHS } from './targets/update-graphs.ts'

testTargets([
  ...REMOTE_WRITE,
  ...OTLP,
  ...K8S,
  ...JSON_PATCHES,
  ...FARO,
  ...ALERTMANAGER,
  ...STORED_BYTES,
  ...UPDATE_GRAPHS,
  ...BUNDLES,
])

test.each([
  ['1.0', V1],
  ['2.0', V2],
] as const)('the seed of remote write %s with histograms is taken whole', async (protocol, { blocks }) => {
  const rig = openIngest()
  try {
    const ingest = createRemoteWriteIngest({ intake: rig.intake })
    const counts = { status: 204, histogramsTaken: 4, exemplarsTaken: 1, exemplarsIgnored: 0, metadataIgnored: 0 }
    expect(ingest.write(blocks.at(-1)!, { nowMs: NOW_MS, protocol })).toMatchObject(counts)
  } finally {
    await rig.close()
  }
})
