/** Rows of one campaign. */
export interface CampaignRowGroup<Row> {
  campaign: string
  rows: Row[]
}

/** Groups rows by campaign. Campaigns keep the order of their first row, and rows without a campaign ('') come last. */
export function groupRowsByCampaign<Row>(rows: Row[], getCampaign: (row: Row) => string): CampaignRowGroup<Row>[] {
  const groups = new Map<string, CampaignRowGroup<Row>>()
  for (const row of rows) {
    const campaign = getCampaign(row)
    const group = groups.get(campaign) ?? { campaign, rows: [] }
    group.rows.push(row)
    groups.set(campaign, group)
  }
  return [...groups.values()].toSorted((one, other) => Number(one.campaign === '') - Number(other.campaign === ''))
}
