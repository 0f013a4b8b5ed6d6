export { HeaderTools } from './HeaderTools'
export { Rail } from './Rail'
