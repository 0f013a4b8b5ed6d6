-- A search also looks through identifiers and spaces as they are compared, without blanks, hyphens and asterisks.
update vehicles set haystack = haystack || char(10) || lower(vin_key) || char(10)
    || lower(replace(replace(replace(parking_space, '-', ''), ' ', ''), '*', ''));
