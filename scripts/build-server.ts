/**
 * `npm run build:server`: the server and its threads as a few files in `dist`, libraries included. They
 * load some 1,300 modules otherwise, which is most of the time that a start takes.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

const THREADS = [
  'ingest-worker',
  'query-worker',
  'forward-worker',
  'rule-tests-worker',
  'scrub-worker',
  'shipping-worker',
  'main-watch-worker',
]
/** `app` is an entry for tests and benchmarks that start the built server in their own process. */
const ENTRIES = ['main', 'app', ...THREADS.map((file) => `threads/${file}`)]

/**
 * Native: it finds its compiled half beside its own files. And what few servers ever load, and which finds its own parts by
 * name: only `own-traces-sdk.ts` imports it.
 */
const EXTERNAL = ['better-sqlite3', '@opentelemetry/sdk-node', '@opentelemetry/exporter-trace-otlp-http']

/** What an earlier build left, but for the pages, which are built apart. */
function clear(): void {
  for (const name of readdirSync(ROOT).includes('dist') ? readdirSync(DIST) : []) {
    if (name !== 'web') rmSync(join(DIST, name), { recursive: true })
  }
}

clear()
const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: Object.fromEntries(ENTRIES.map((path) => [basename(path), `src/${path}.ts`])),
  external: EXTERNAL,
})
// Chunks lie beside the entries: a thread is started from the file beside the one that starts it.
await bundle.write({
  dir: DIST,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
})
await bundle.close()
