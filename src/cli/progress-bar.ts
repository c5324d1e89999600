/** Progress of a command, from 0 to 1. */
type ShowProgress = (progress: { readonly fraction: number }) => void

/** One line that is overwritten on a terminal; a line per quarter elsewhere. */
export function showProgress(title: string): ShowProgress {
  if (!process.stdout.isTTY) return showQuarters(title)
  const width = 30
  let isDone = false
  return ({ fraction }) => {
    if (isDone) return
    isDone = fraction >= 1
    const done = Math.round(fraction * width)
    const percent = `${String(Math.floor(fraction * 100)).padStart(3)} %`
    process.stdout.write(`\r${title} [${'='.repeat(done)}${' '.repeat(width - done)}] ${percent}${isDone ? '\n' : ''}`)
  }
}

/** Clears the current line of a terminal. */
const CLEAR_LINE = '\r\u001b[2K'

export function showQuarters(title: string): ShowProgress {
  let quartersShown = 0
  return ({ fraction }) => {
    while (fraction * 4 >= quartersShown + 1) {
      quartersShown++
      console.log(`${process.stdout.isTTY ? CLEAR_LINE : ''}${title}: ${quartersShown * 25} %`)
    }
  }
}
