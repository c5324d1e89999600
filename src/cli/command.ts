/** What a command is. Each file of this folder exports one; `main.ts` lists them with their names. */
export interface Command {
  /** The whole of `daytwo NAME --help`. */
  help(): string
  /** Answers the exit code when the command is done. Throws FleetError for what the user can mend. */
  run(args: readonly string[]): Promise<number>
}
