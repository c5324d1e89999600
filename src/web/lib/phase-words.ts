import { operatorName } from './operator-words.ts'

/** What the phases of an upgrade are called, everywhere. Pure. */
interface PhaseText {
  /** The field's own term: heads of columns and lanes. */
  readonly name: string
  /** What happens then, for who reads it in a sentence. */
  readonly words: string
}

const PHASES: Readonly<Record<string, PhaseText>> = {
  offered: { name: 'Offered', words: 'offered' },
  approval: { name: 'Approval', words: 'waits for approval' },
  olm: { name: 'OLM', words: 'operator install' },
  'olm.pending': { name: 'CSV pending', words: 'install: requirements' },
  'olm.install_ready': { name: 'Install ready', words: 'install: ready' },
  'olm.installing': { name: 'Installing', words: 'install: operators start' },
  operands: { name: 'Operands', words: 'components' },
  'virt_handler.canary': { name: 'virt-handler canary', words: 'first node' },
  'virt_handler.waves': { name: 'virt-handler waves', words: 'node by node' },
  settle: { name: 'Settle', words: 'settling' },
  workloads: { name: 'Virtual machines', words: 'machines follow' },
  platform: { name: 'Platform', words: 'platform' },
}

/** One component, or one pool of nodes, by its name. */
const PARTS: Readonly<Record<string, (part: string) => PhaseText>> = {
  operands: (part) => ({ name: operatorName(part), words: `component ${part}` }),
  platform: (part) => ({ name: `Pool ${part}`, words: `nodes of ${part}` }),
}

/** `operands.cdi` is CDI; a pool of the platform goes by its name. */
export function phaseName(phase: string): string {
  return phaseText(phase)?.name ?? phase
}

/** As people say it. */
export function phaseWords(phase: string | null): string {
  if (phase === null) return 'phase not told'
  return phaseText(phase)?.words ?? phase.replaceAll('.', ' ')
}

function phaseText(phase: string): PhaseText | undefined {
  const [stem = '', ...rest] = phase.split('.')
  return PHASES[phase] ?? PARTS[stem]?.(rest.join('.'))
}

/** A phase within another one: it is drawn below it. */
export function isSubPhase(phase: string): boolean {
  return /^(?:olm|operands|platform)\./.test(phase)
}
