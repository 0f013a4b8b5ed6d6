import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { storeProductName, useStoredProductName } from '@/lib/product'
import { currentUserQuery } from './currentUserQuery'
import { useSession } from './session'

/** Returns the configured product name. Before the sign-in, returns the product name that this device stored last. */
export function useProductName(): string {
  const session = useSession()
  const name = useQuery({ ...currentUserQuery, enabled: session !== null }).data?.product_name ?? ''
  useEffect(() => storeProductName(name), [name])
  return useStoredProductName()
}
