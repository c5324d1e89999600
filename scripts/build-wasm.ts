/**
 * `npm run build:wasm`: compiles `src/wire/assembly/write-decoder.ts` and writes the module, as text, where the server
 * imports it from. The result is kept in the tree, so that a build needs no compiler for it; a test compiles again
 * and compares.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is used of `assemblyscript/asc`. Its own types would declare AssemblyScript's globals over TypeScript's everywhere. */
interface Compiler {
  main(
    args: readonly string[],
    io: {
      readonly stderr: { write(chunk: string | Uint8Array): void }
      readFile(name: string): string | null
      writeFile(name: string, contents: string | Uint8Array): void
      listFiles(): readonly string[]
    },
  ): Promise<{ readonly error: Error | null }>
}
const COMPILER: string = 'assemblyscript/asc'

const SOURCE = join(import.meta.dirname, '../src/wire/assembly/write-decoder.ts')
const TARGET = join(import.meta.dirname, '../src/wire/write-decoder-wasm.ts')
const OPTIONS = ['--runtime', 'stub', '--enable', 'simd', '-O3', '--noAssert']

/** The compiled module. @throws Error with the compiler's words */
export async function compileWriteDecoder(): Promise<Uint8Array> {
  const { default: asc } = (await import(COMPILER)) as { readonly default: Compiler }
  let compiled: Uint8Array | undefined
  let said = ''
  const { error } = await asc.main(['write-decoder.ts', '--outFile', 'write-decoder.wasm', ...OPTIONS], {
    stderr: {
      write: (chunk) => {
        said += chunk.toString()
      },
    },
    readFile: (name) => (name === 'write-decoder.ts' ? readFileSync(SOURCE, 'utf8') : null),
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') compiled = contents
    },
    listFiles: () => [],
  })
  if (error !== null || compiled === undefined) throw new Error(`${SOURCE} does not compile: ${said}`)
  return compiled
}

/** The TypeScript file that carries the module. */
export function moduleText(module: Uint8Array): string {
  const lines = Buffer.from(module)
    .toString('base64')
    .match(/.{1,100}/g)!
  return [
    '/** `assembly/write-decoder.ts`, compiled. Made by `npm run build:wasm`; not edited by hand. */',
    'export const WRITE_DECODER_BASE64 =',
    lines.map((line) => `  '${line}'`).join(' +\n'),
    '',
  ].join('\n')
}

if (process.argv[1] === import.meta.filename) writeFileSync(TARGET, moduleText(await compileWriteDecoder()))
