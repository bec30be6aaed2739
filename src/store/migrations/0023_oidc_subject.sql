-- Users who sign in with an OpenID provider: the issuer and its name for the person, set by the first such sign-in.

alter table console_user add column oidc_subject text;
create unique index console_user_oidc_subject on console_user (side, oidc_subject);
