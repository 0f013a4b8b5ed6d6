import { useQuery } from '@tanstack/react-query'
import { meQuery } from './queries'
import { useSession } from './session'

const NAME = 'productName'
const FALLBACK = 'Patio'

/** The product's configured name; before the sign-in the one this device saw last. */
export function useProductName(): string {
  const session = useSession()
  const told = useQuery({ ...meQuery, enabled: session !== null }).data?.product_name
  if (told && told !== localStorage.getItem(NAME)) localStorage.setItem(NAME, told)
  return told || localStorage.getItem(NAME) || FALLBACK
}
