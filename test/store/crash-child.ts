import { writeSync } from 'node:fs'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { openWriter } from '../../src/store/writer.ts'
import { appendBatch, CRASH_OPTIONS, SAMPLES_PER_BATCH, workNowMs, workSpans } from './workload.ts'

// Writes the load from a batch on until it is killed, and says on stdout what it was told is durable. Written at once
// (`writeSync`): what stands in the pipe was acknowledged, even when the kill comes right after it.

const [dir, first] = process.argv.slice(2)
writeSync(1, 'opening\n')
let batch = Number(first)
const options = { ...STORE_DEFAULTS, dir: dir!, ...CRASH_OPTIONS }
const writer = openWriter(options, workNowMs(batch * SAMPLES_PER_BATCH))
for (; ; batch++) {
  appendBatch(writer.appender, batch)
  writer.spans.putSpans(workSpans(batch), workNowMs(batch * SAMPLES_PER_BATCH))
  await writer.appender.commit()
  writeSync(1, `acked ${batch}\n`)
  // Not awaited: the next batches arrive while the flush goes on step by step.
  void writer.maintain(workNowMs(batch * SAMPLES_PER_BATCH)).catch((failure: unknown) => {
    writeSync(2, `maintain: ${String(failure)}\n`)
    process.exit(1)
  })
  if (batch % 10 === 0) writeSync(1, `flushes ${writer.stats().flushesDone}\n`)
}
