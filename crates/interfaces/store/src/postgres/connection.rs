//! A connection to a PostgreSQL store and its statements.

use postgres::{Client, Error, Statement};

/// Channel on which appends are announced, with the number of the study.
const CHANNEL: &str = "thrifty_events";

/// An open connection and its prepared statements.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) read: Statement,
    pub(super) exists: Statement,
    pub(super) append: Statement,
    pub(super) claim: Statement,
    pub(super) heartbeat: Statement,
    pub(super) unclaimed: Statement,
}

impl Connection {
    /// Prepares the statements.
    pub(super) fn prepare(mut client: Client) -> Result<Self, Error> {
        client.batch_execute(&format!("LISTEN {CHANNEL}"))?;
        Ok(Self {
            read: client.prepare(
                "SELECT seq, body FROM thrifty.events WHERE study = $1 AND seq >= $2 ORDER BY seq",
            )?,
            exists: client
                .prepare("SELECT EXISTS (SELECT 1 FROM thrifty.events WHERE study = $1 AND seq >= $2)")?,
            append: client.prepare(APPEND)?,
            claim: client.prepare(CLAIM)?,
            heartbeat: client.prepare(
                "UPDATE thrifty.leases SET expires_at = clock_timestamp() + $5::float8 * interval '1 second'
                 WHERE study = $1 AND trial = $2 AND fence = $3 AND owner = $4
                     AND set_config('synchronous_commit', 'off', true) = 'off'",
            )?,
            unclaimed: client.prepare(
                "SELECT trial FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (trial, place)
                 WHERE NOT EXISTS (SELECT 1 FROM thrifty.leases AS held
                     WHERE held.study = $1 AND held.trial = asked.trial AND expires_at > clock_timestamp())
                 ORDER BY place",
            )?,
            client,
        })
    }
}

/// One statement: the lease is locked, the place is the end, the entries are added and announced, or nothing happens.
const APPEND: &str = "
    WITH held AS (
        SELECT 1 FROM thrifty.leases WHERE study = $1 AND trial = $4 AND fence = $5 AND owner = $6 FOR UPDATE
    ), allowed AS (
        SELECT $4::bigint IS NULL OR EXISTS (SELECT 1 FROM held) AS yes
    ), added AS (
        INSERT INTO thrifty.events (study, seq, body)
        SELECT $1, $2::bigint + place - 1, body FROM unnest($3::text[]) WITH ORDINALITY AS given (body, place)
        WHERE (SELECT yes FROM allowed)
            AND ($2 = 0 OR EXISTS (SELECT 1 FROM thrifty.events WHERE study = $1 AND seq = $2 - 1))
        RETURNING seq
    ), announced AS (
        SELECT pg_notify('thrifty_events', $1::text) FROM (SELECT 1 FROM added LIMIT 1) AS one
    )
    SELECT (SELECT yes FROM allowed), (SELECT count(*) FROM added), (SELECT count(*) FROM announced)";

/// A claim that would be refused locks nothing, so that many workers that wait for one trial do not wait for each other.
///
/// Leases are not worth waiting for the disk: a crash of the server may lose the last ones, and the owner tells a lease from a
/// later one with the same number. The append under a lease makes it durable.
const CLAIM: &str = "
    INSERT INTO thrifty.leases AS held (study, trial, owner, fence, expires_at)
    SELECT $1::bigint, $2::bigint, $3::text, 1, clock_timestamp() + $4::float8 * interval '1 second'
    WHERE set_config('synchronous_commit', 'off', true) = 'off' AND NOT EXISTS (
        SELECT 1 FROM thrifty.leases AS other WHERE other.study = $1 AND other.trial = $2
            AND other.owner <> $3 AND other.expires_at > clock_timestamp()
    )
    ON CONFLICT (study, trial) DO UPDATE SET
        fence = held.fence + (held.owner <> excluded.owner)::int,
        owner = excluded.owner, expires_at = excluded.expires_at
    WHERE held.owner = excluded.owner OR held.expires_at <= clock_timestamp()
    RETURNING fence";
