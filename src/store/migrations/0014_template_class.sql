-- What the messages of a template are for. It decides which go first on a channel.
alter table template add column class text not null default 'notice' check (class in ('otp', 'notice', 'promotion'));
