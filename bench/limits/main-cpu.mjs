/**
 * Loaded into the server by `--import`: the most processor time that its main thread took between two turns of a timer. On a
 * machine that others use, the server's own metric also has the time in which it did not get a processor.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 10
const file = process.env['MAIN_CPU_FILE']

if (isMainThread && file !== undefined) {
  // The main thread has the number of its process; the first field is nanoseconds on a processor.
  const path = `/proc/self/task/${process.pid}/schedstat`
  const cpuMs = () => Number(readFileSync(path, 'latin1').split(' ')[0]) / 1e6
  let before = cpuMs()
  let isStarted = false
  let most = 0
  setInterval(() => {
    const now = cpuMs()
    if (isStarted && now - before > most) {
      most = now - before
      writeFileSync(file, String(most))
    }
    before = now
  }, EVERY_MS).unref()
  // Reading the program is no block that a client sees.
  process.once('SIGUSR2', () => {
    isStarted = true
    before = cpuMs()
  })
}
