import { translateServerMessage } from '@/lib/translateServerMessage'
import { Alert } from './Page'

/** Warnings from the server in the user's language, one per line. Renders nothing without warnings. */
export function ServerWarnings({ sentences = [] }: { sentences?: readonly string[] | undefined }) {
  if (sentences.length === 0) return null
  return (
    <Alert kind="warning">
      {sentences.map((sentence) => (
        <p key={sentence}>{translateServerMessage(sentence)}</p>
      ))}
    </Alert>
  )
}
