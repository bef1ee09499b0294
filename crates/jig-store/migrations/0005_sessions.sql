-- Agent workspaces that all workbenches share. A version is the root of its files; none is ever changed.
CREATE TABLE agent_versions (
    name TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version >= 1),
    root TEXT NOT NULL,
    actor {json} NOT NULL,
    message TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (name, version)
);

-- A session's log is in `session_events`; `seq` is its last record. `title` and `status` are what lists show of it.
-- While somebody carries out what a session asks for, it is theirs until `lease_until`.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    seq BIGINT NOT NULL CHECK (seq >= 0),
    title TEXT NOT NULL,
    status TEXT NOT NULL,
    holder TEXT,
    lease_until BIGINT
);
CREATE INDEX sessions_of_workbench ON sessions (workbench_id, created_at, id);

-- `event` is the text as it was written: not a byte of it is other when it is read. `version` says how to read it.
CREATE TABLE session_events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL CHECK (seq >= 1),
    at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    derived BIGINT NOT NULL CHECK (derived IN (0, 1)),
    effects TEXT,
    event TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);

-- The blobs that events name: requests, bills, snapshots, results.
CREATE TABLE session_blobs (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (session_id, hash)
);

-- A log is written once. It goes only with its whole session.
-- only sqlite
CREATE TRIGGER session_events_are_not_updated BEFORE UPDATE ON session_events
BEGIN
    SELECT RAISE(ABORT, 'a log is never changed');
END;
CREATE TRIGGER session_events_are_not_replaced BEFORE INSERT ON session_events
WHEN EXISTS (SELECT 1 FROM session_events WHERE session_id = NEW.session_id AND seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'a log is never changed');
END;
CREATE TRIGGER session_events_are_not_deleted BEFORE DELETE ON session_events
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id)
BEGIN
    SELECT RAISE(ABORT, 'a log is never changed');
END;
CREATE TRIGGER agent_versions_are_not_updated BEFORE UPDATE ON agent_versions
BEGIN
    SELECT RAISE(ABORT, 'a version is never changed');
END;
-- only postgres
CREATE FUNCTION session_log_is_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'a log is never changed';
END
$$;
CREATE TRIGGER session_events_are_not_changed BEFORE UPDATE OR DELETE ON session_events
FOR EACH ROW EXECUTE FUNCTION session_log_is_written_once();
CREATE FUNCTION agent_version_is_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a version is never changed';
END
$$;
CREATE TRIGGER agent_versions_are_not_changed BEFORE UPDATE ON agent_versions
FOR EACH ROW EXECUTE FUNCTION agent_version_is_written_once();
-- both
