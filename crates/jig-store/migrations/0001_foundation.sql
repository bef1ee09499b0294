-- The foundation: heads, journal, checkpoints, projections, and what blobs are.
--
-- One text for both databases. {json} stands for the type of JSON; what follows a line `-- only
-- sqlite` or `-- only postgres` up to `-- both` is for that one. Times are milliseconds since 1970.

CREATE TABLE workbenches (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    head TEXT NOT NULL,
    generation BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- `position` is the change that is in effect after the row, `parent_position` the one before it.
CREATE TABLE journal (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor {json} NOT NULL,
    operation TEXT NOT NULL,
    summary TEXT NOT NULL,
    state_before TEXT NOT NULL,
    state_after TEXT NOT NULL,
    target BIGINT,
    position BIGINT NOT NULL,
    parent_position BIGINT NOT NULL,
    PRIMARY KEY (workbench_id, seq)
);

-- `made_by` is the row of the journal that made it, `seq` the last change in the state it names.
CREATE TABLE checkpoints (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    state TEXT NOT NULL,
    seq BIGINT NOT NULL,
    made_by BIGINT NOT NULL,
    PRIMARY KEY (workbench_id, id)
);
CREATE INDEX checkpoints_by_name ON checkpoints (workbench_id, name, made_by);

CREATE TABLE documents (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    id TEXT NOT NULL,
    family TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'archived')),
    status TEXT,
    completeness DOUBLE PRECISION NOT NULL,
    revision BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    data {json} NOT NULL,
    PRIMARY KEY (workbench_id, path),
    UNIQUE (workbench_id, id),
    UNIQUE (workbench_id, kind, key)
);
CREATE INDEX documents_by_family ON documents (workbench_id, family, state, kind);

CREATE TABLE kinds (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    data {json} NOT NULL,
    PRIMARY KEY (workbench_id, path)
);

CREATE TABLE recipes (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    data {json} NOT NULL,
    PRIMARY KEY (workbench_id, path)
);

-- An asset that fills a field of an entry is permanent; any other one is temporary and has an end.
CREATE TABLE assets (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    permanence TEXT NOT NULL CHECK (permanence IN ('permanent', 'temporary')),
    entry_id TEXT,
    field_key TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (workbench_id, id),
    CONSTRAINT permanence_logic CHECK (
        CASE
            WHEN entry_id IS NOT NULL THEN permanence = 'permanent'
            WHEN permanence = 'temporary' THEN expires_at IS NOT NULL
            ELSE TRUE
        END
    )
);
CREATE INDEX assets_by_entry ON assets (workbench_id, entry_id, field_key) WHERE entry_id IS NOT NULL;

-- What a blob is under a name with this extension: a cache, no part of any state.
CREATE TABLE blob_kinds (
    hash TEXT NOT NULL,
    extension TEXT NOT NULL,
    kind TEXT NOT NULL,
    media_type TEXT NOT NULL,
    mismatch TEXT,
    PRIMARY KEY (hash, extension)
);

-- Who is removing unneeded blobs from a bucket: one at a time.
CREATE TABLE collecting (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    who TEXT NOT NULL,
    at BIGINT NOT NULL
);

-- The journal is written once. Its rows go only with their whole workbench.
-- only sqlite
CREATE TRIGGER journal_is_not_updated BEFORE UPDATE ON journal
BEGIN
    SELECT RAISE(ABORT, 'the journal is never changed');
END;
CREATE TRIGGER journal_is_not_replaced BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE workbench_id = NEW.workbench_id AND seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the journal is never changed');
END;
CREATE TRIGGER journal_is_not_deleted BEFORE DELETE ON journal
WHEN EXISTS (SELECT 1 FROM workbenches WHERE id = OLD.workbench_id)
BEGIN
    SELECT RAISE(ABORT, 'the journal is never changed');
END;
-- only postgres
CREATE FUNCTION journal_is_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT 1 FROM workbenches WHERE id = OLD.workbench_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the journal is never changed';
END
$$;
CREATE TRIGGER journal_is_not_changed BEFORE UPDATE OR DELETE ON journal
FOR EACH ROW EXECUTE FUNCTION journal_is_written_once();
CREATE TRIGGER journal_is_not_emptied BEFORE TRUNCATE ON journal
FOR EACH STATEMENT EXECUTE FUNCTION journal_is_written_once();
-- both
