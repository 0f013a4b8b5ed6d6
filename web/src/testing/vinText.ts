/** Matches the element that displays a VIN. Its last characters are in an element of their own. */
export const vinText = (vin: string) => (_: string, element: Element | null) => element?.className === 'mono' && element.textContent === vin
