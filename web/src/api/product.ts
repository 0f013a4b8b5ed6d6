import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { noteProduct, useProduct } from '@/lib/product'
import { meQuery } from './queries'
import { useSession } from './session'

/** The product's configured name; before the sign-in the one this device saw last. */
export function useProductName(): string {
  const session = useSession()
  const told = useQuery({ ...meQuery, enabled: session !== null }).data?.product_name ?? ''
  useEffect(() => noteProduct(told), [told])
  return useProduct()
}
