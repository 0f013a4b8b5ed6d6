-- Work of each hour (hours since 1970, UTC) by yard and user, written by the save itself. Yard 0 is no yard, user 0 a bulk change.
create table activity (
    campaign_id bigint not null,
    hour bigint not null,
    yard_id bigint not null,
    user_id bigint not null,
    -- change of the number of inspected vehicles, so that all hours together are the campaign's number of inspected vehicles
    inspected bigint not null,
    saves bigint not null,
    -- change of the number of vehicles that are ng, Repair or Repair OK
    found_wrong bigint not null,
    primary key (campaign_id, hour, yard_id, user_id)
);
create index activity_hour on activity (hour);

-- Number of vehicles of a yard with a status. Vehicles without a status are not counted.
create table status_counts (
    campaign_id bigint not null,
    yard_id bigint not null,
    status text not null,
    vehicles bigint not null,
    primary key (campaign_id, yard_id, status)
);
