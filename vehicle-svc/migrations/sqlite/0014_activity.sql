-- Work of each hour (hours since 1970, UTC) by yard and user, written by the save itself. Yard 0 is no yard, user 0 a bulk change.
create table activity (
    campaign_id integer not null,
    hour integer not null,
    yard_id integer not null,
    user_id integer not null,
    -- change of the number of inspected vehicles, so that all hours together are the campaign's number of inspected vehicles
    inspected integer not null,
    saves integer not null,
    -- change of the number of vehicles that are ng, Repair or Repair OK
    found_wrong integer not null,
    primary key (campaign_id, hour, yard_id, user_id)
) strict;
create index activity_hour on activity (hour);

-- Number of vehicles of a yard with a status. Vehicles without a status are not counted.
create table status_counts (
    campaign_id integer not null,
    yard_id integer not null,
    status text not null,
    vehicles integer not null,
    primary key (campaign_id, yard_id, status)
) strict;
