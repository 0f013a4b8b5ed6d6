import { expect, test } from 'vitest'
import { reloadPageOnce } from './reloadPageOnce'

test('a page that the person leaves does not reload when its code stops loading', () => {
  reloadPageOnce()
  const isReloaded = () => {
    window.dispatchEvent(new Event('vite:preloadError'))
    return sessionStorage.getItem('reloaded') === '1'
  }
  window.dispatchEvent(new Event('beforeunload'))
  expect(isReloaded()).toBe(false)
})
