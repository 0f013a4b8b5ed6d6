import type { paths } from './schema'

type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never
type Got<P extends keyof paths> = paths[P] extends { get: { responses: { 200: infer R } } } ? Json<R> : never
type Put<P extends keyof paths> = paths[P] extends { put: { requestBody: infer B } } ? Json<B> : never

export type CurrentUser = Got<'/me'>
type CampaignQuery = NonNullable<paths['/campaigns']['get']['parameters']['query']>
/** Search parameters of the campaign list. `page` counts from 0. */
export type CampaignSearchParams = CampaignQuery & { page: number }
export type Campaign = Got<'/campaigns/{id}'>
export type CampaignPage = Got<'/campaigns'>
export type Yard = Got<'/yards'>['yards'][number]
export type YardVehicleCount = Got<'/yards/vehicle-counts'>[number]
export type Vehicle = Got<'/vehicles/{id}'>
export type VehicleHistory = Got<'/vehicles/{id}/history'>
/** An entry in the history of a vehicle: who changed which fields, when and by which means. */
export type VehicleHistoryEntry = VehicleHistory['changes'][number]
/** A page of the history of a campaign. */
export type CampaignHistory = Got<'/campaigns/{id}/history'>
/** An event in the history of a campaign: an import, changed fields, a bulk change or the undo of a bulk change. */
export type CampaignEvent = CampaignHistory['entries'][number]
export type VehicleUpdate = Put<'/vehicles/{id}'>
export type ListedVehicle = Got<'/vehicles/campaign/{id}/all'>[number]
/**
 * Conflict between two saves that changed the same field of a vehicle concurrently. Contains both values and, once the conflict is
 * resolved, the chosen value.
 */
export type FieldConflict = Got<'/conflicts'>['conflicts'][number]
/** Inspection rate of a campaign over the last half hour, the users who were active in the last 15 minutes, and the estimated end. */
export type InspectionPace = Got<'/campaigns/{id}/pace'>
/** The inspection work in one campaign, or in all campaigns, by hour, yard and person. */
export type InspectionActivity = Got<'/campaigns/{id}/activity'>
export type WorkbookUploadResult = paths['/documents/upload']['post']['responses'][201]['content']['application/json']
export type User = Got<'/users'>[number]
/** An event in the history of a user, such as a sign-in, a change of the account, or a bulk change that the user made. */
export type UserEvent = Got<'/users/{id}/history'>['entries'][number]
export type NewUser = Posted<'/sign-up'>
export type UserUpdate = Put<'/users/{id}'>
type Posted<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } } ? B : never
export type BulkStatusRequest = Posted<'/vehicles/bulk/status'>
export type BulkParkingSpaceRequest = Posted<'/vehicles/bulk/parking-space'>
export type CsvUpdateResult = paths['/vehicles/csv']['post']['responses'][200]['content']['application/json']
/** A vehicle in the preview of a bulk change, with the old and the new value of each changed field. */
export type PreviewedVehicle = CsvUpdateResult['preview'][number]
export type BulkResult = paths['/vehicles/bulk/status']['post']['responses'][200]['content']['application/json']
export type JobListPage = Got<'/jobs'>
export type Job = JobListPage['jobs'][number]
export type JobUndoResult = paths['/jobs/{id}/undo']['post']['responses'][200]['content']['application/json']
export type CampaignStatus = Campaign['status']
export type AuditEvent = Got<'/logs/audit'>['events'][number]
