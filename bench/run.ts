/**
 * `npm run bench [name ...]`: each benchmark against a baseline or a peer in the same run, as a ratio. Machines are
 * noisy, so only ratios are worth comparing from one day to the next.
 */
import { readdirSync } from 'node:fs'

interface Benchmark {
  run(): Promise<void> | void
}

const asked = new Set(process.argv.slice(2))
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => asked.size === 0 || asked.has(name))

console.log(
  `node ${process.versions.node}, ${process.platform}-${process.arch}, ${new Date().toISOString().slice(0, 10)}`,
)
for (const name of names) {
  console.log(`\n## ${name}`)
  const benchmark = (await import(`./${name}.ts`)) as Benchmark
  await benchmark.run()
}
