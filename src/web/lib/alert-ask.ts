/** What a link in a message asks for: `?do=acknowledge`, `?do=silence`. It opens the dialog, and does nothing by itself. */
export type AlertAsk = 'acknowledge' | 'silence'

export function parseAlertAsk(search: string): AlertAsk | undefined {
  const wish = new URLSearchParams(search).get('do')
  return wish === 'acknowledge' || wish === 'silence' ? wish : undefined
}
