/** Over which upgrades edges are told, as it stands in the address: those that began lately, or all that are kept. Pure. */

export const EDGE_WINDOWS = [
  { value: '7d', text: 'This week' },
  { value: '30d', text: '30 d' },
  { value: '', text: 'All' },
] as const
export type EdgeWindow = (typeof EDGE_WINDOWS)[number]['value']

export function parseEdgeWindow(search: string): EdgeWindow {
  const asked = new URLSearchParams(search).get('window')
  return EDGE_WINDOWS.find(({ value }) => value === asked)?.value ?? ''
}

const SAYS: Readonly<Record<EdgeWindow, string>> = {
  '7d': 'over upgrades that began in the last 7 days',
  '30d': 'over upgrades that began in the last 30 days',
  '': 'over all upgrades that are kept',
}

export function edgeWindowWords(window: EdgeWindow): string {
  return SAYS[window]
}
