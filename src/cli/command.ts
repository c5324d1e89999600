/** What a command is. Each file of this folder exports one; `main.ts` lists them. */
export interface Command {
  readonly name: string
  /** One line for `daytwo --help`. */
  readonly summary: string
  /** The whole of `daytwo NAME --help`. */
  help(): string
  /** Answers the exit code when the command is done. Throws FleetError for what the user can mend. */
  run(args: readonly string[]): Promise<number>
}
