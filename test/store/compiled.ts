import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { ModuleKind, preProcessFile, ScriptTarget, transpileModule, type CompilerOptions } from 'typescript'
import { afterAll } from 'vitest'

/**
 * Files that run outside of the test runner, in threads and processes of their own, as JavaScript: compiled once, so
 * that a process that is killed twenty times does not compile twenty times. Below `node_modules`, so that packages
 * are found, and removed after the test file.
 */
const ROOT = resolve(import.meta.dirname, '../..')

/** The compiled form of a file of this folder and of all it imports. Answers its path. */
export function compiled(file: string): string {
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const out = mkdtempSync(join(cache, 'daytwo-test-'))
  afterAll(() => {
    rmSync(out, { recursive: true, force: true })
  })
  writeFileSync(join(out, 'package.json'), '{ "type": "module" }')
  const entry = join(import.meta.dirname, file)
  const seen = new Set([entry])
  for (const path of seen) {
    const text = readFileSync(path, 'utf8')
    const target = join(out, relative(ROOT, path).replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, transpileModule(text, { compilerOptions: OPTIONS, fileName: path }).outputText)
    for (const imported of preProcessFile(text).importedFiles) {
      if (imported.fileName.startsWith('.')) seen.add(resolve(dirname(path), imported.fileName))
    }
  }
  return join(out, relative(ROOT, entry).replace(/\.ts$/, '.js'))
}

const OPTIONS: CompilerOptions = {
  target: ScriptTarget.ES2023,
  module: ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  // `./x.ts` becomes `./x.js`.
  rewriteRelativeImportExtensions: true,
}
