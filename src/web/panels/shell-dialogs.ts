import { laterPart } from '../ui/later-part.tsx'

/** What the shell opens over any page, and most readers never do. */

export const ViewDialog = laterPart(async () => (await import('./view-dialog.tsx')).ViewDialog)

/** It reads all there is to go to, which the first screen can do without. */
export const CommandMenu = laterPart(async () => (await import('./command-menu.tsx')).CommandMenu)
