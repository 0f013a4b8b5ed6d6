export { HeaderTools } from './HeaderTools'
export { NavigationRail } from './NavigationRail'
