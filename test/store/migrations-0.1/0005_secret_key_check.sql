-- A value sealed under the secret key, so that a process with another key is refused also while nothing else is sealed.
alter table config_version add column secret_key_check bytea;
