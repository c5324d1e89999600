/** A command. Each command file exports one; `main.ts` lists them with their names. */
export interface Command {
  /** The output of `daytwo NAME --help`. */
  help(): string
  /** Returns the exit code. Throws FleetError for errors that the user can fix. */
  run(args: readonly string[]): Promise<number>
}
