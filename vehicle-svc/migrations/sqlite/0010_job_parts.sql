-- What vehicles were before a job, thousands of them a row, as JSON. Jobs of before have a row of job_changes for each vehicle.
create table if not exists job_parts (
    job_id integer not null,
    part integer not null,
    vehicles text not null,
    primary key (job_id, part)
);
