-- Keys that lie here unsealed are thrown away; new ones are sealed by PATIO_KEY_FILE.
delete from signing_keys;
delete from own_keys;
