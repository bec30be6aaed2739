-- Signatures of service accounts, with whom they are filed, and words that no text may contain.
alter table service_account add column signature text;
alter table service_account add column signature_position text not null default 'head';
alter table service_account add constraint service_account_signature_position_check check (signature_position in ('head', 'tail'));
alter table channel add column requires_filing boolean not null default false;

create table filing (
  service_account_id bigint not null references service_account (service_account_id),
  channel_id bigint not null references channel (channel_id),
  status text not null check (status in ('pending', 'filed', 'rejected')),
  reason text,
  -- What was filed: a filing holds for this signature only.
  signature text,
  version bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (service_account_id, channel_id)
);
create index filing_version on filing (version);

create table blocked_words (
  blocked_word_no text primary key,
  customer_id bigint references customer (customer_id),
  words text[] not null,
  -- Rows stay, so that every process hears of the removal.
  removed_at timestamptz,
  version bigint not null,
  created_at timestamptz not null default now()
);
create index blocked_words_version on blocked_words (version);

-- Which words numbers of a task were rejected for. Customers do not see it.
create table blocked_content (
  bucket smallint not null default 0,
  customer_id bigint not null,
  task_id bigint not null,
  word text not null,
  numbers integer not null,
  primary key (bucket, customer_id, task_id, word)
);
