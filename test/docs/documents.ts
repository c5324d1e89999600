/** The documentation as tests read it: files, fences and commands. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from '../content/content.ts'

/** Files that show commands and links to people, from the root of the project on. */
export const DOCUMENTS: readonly string[] = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'deploy/README.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join('docs', name))
    .sort(),
]

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** The text of each fence of shell commands, indented ones too. */
export function shellFences(text: string): readonly string[] {
  return [...text.matchAll(/^([ \t]*)```(?:sh|bash)\n([\s\S]*?)^\1```$/gm)].map(([, , body]) => body!)
}

/** Text outside of fences. */
export function proseOf(text: string): string {
  return text.replaceAll(/^([ \t]*)```[^\n]*\n[\s\S]*?^\1```$/gm, '')
}

/**
 * The simple commands of a shell text, as words without quotation marks: enough of a shell for documentation. Comments are
 * left out, and lines that end with a backslash go on.
 */
export function shellCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = []
  for (const line of script.replaceAll(/\\\n/g, ' ').split('\n')) {
    let words: string[] = []
    const tokens = line.matchAll(/\s*(?:(#.*$)|(&&|\|\|?|;|>>?)|((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;|&>#]|(?<=\S)#)+))/g)
    for (const [, comment, operator, word] of tokens) {
      if (comment !== undefined) break
      if (operator === undefined) words.push(word!.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'))
      else {
        commands.push(words)
        words = []
      }
    }
    commands.push(words)
  }
  return commands.filter((words) => words.length > 0)
}

/** The arguments of `daytwo` in a command: by name, by the built file, or as the command of the image. */
export function daytwoArguments(words: readonly string[]): readonly string[] | undefined {
  if (words[0] === 'daytwo') return words.slice(1)
  const at = words.findIndex(
    (word, i) =>
      word.endsWith('dist/main.js') ||
      (words[0] === 'docker' && words[1] === 'run' && i > 1 && /^daytwo:\d/.test(word)),
  )
  return at === -1 ? undefined : words.slice(at + 1)
}
