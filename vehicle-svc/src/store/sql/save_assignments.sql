-- Assignments with which a save updates a vehicle: all fields that users can change, the columns derived from these fields, and
-- the user and time of the save. A field keeps its last user and time when the save does not change it.
model_code = {model_code}, serial_number = {serial_number}, vin_key = {vin_key}, parking_space = {parking_space},
yard_id = {yard_id}, yard_group = {yard_group}, walk_key = {walk_key}, haystack = {haystack},
status = {status}, inspected = true, admin_notes = {admin_notes}, operator_notes = {operator_notes},
modified_by = {saved_by}, modified_at = {saved_at}, version = vehicles.version + 1,
statuses_had = vehicles.statuses_had | {status_bit},
status_by = case when vehicles.status = {status} then vehicles.status_by else {saved_by} end,
status_at = case when vehicles.status = {status} then vehicles.status_at else {saved_at} end,
operator_notes_by = case when vehicles.operator_notes = {operator_notes} then vehicles.operator_notes_by else {saved_by} end,
operator_notes_at = case when vehicles.operator_notes = {operator_notes} then vehicles.operator_notes_at else {saved_at} end,
admin_notes_by = case when vehicles.admin_notes = {admin_notes} then vehicles.admin_notes_by else {saved_by} end,
admin_notes_at = case when vehicles.admin_notes = {admin_notes} then vehicles.admin_notes_at else {saved_at} end,
vin_by = case when vehicles.model_code = {model_code} and vehicles.serial_number = {serial_number} then vehicles.vin_by else {saved_by} end,
vin_at = case when vehicles.model_code = {model_code} and vehicles.serial_number = {serial_number} then vehicles.vin_at else {saved_at} end,
space_by = case when vehicles.parking_space = {parking_space} then vehicles.space_by else {saved_by} end,
space_at = case when vehicles.parking_space = {parking_space} then vehicles.space_at else {saved_at} end
