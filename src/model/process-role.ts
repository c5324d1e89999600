/** What a process does: receive data; derive facts, evaluate rules and notify; serve the API and the pages. */
export const PROCESS_ROLES = ['collect', 'evaluate', 'serve'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]
