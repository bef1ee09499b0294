-- What entries need beside the states: assets with all that is known of them and where they are used, jobs with
-- their schedules, and the tokens of doors. None of it is part of a state.

-- The documents of some kinds, and a list in order, are found in the index alone, so the key belongs into it; and
-- the kind before the state, which may be one of several.
DROP INDEX documents_by_family;
CREATE INDEX documents_by_family ON documents (workbench_id, family, kind, key, state);

ALTER TABLE assets ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
ALTER TABLE assets ADD COLUMN source TEXT NOT NULL DEFAULT 'user' CHECK (source IN ('user', 'agent'));
ALTER TABLE assets ADD COLUMN asset_type TEXT;
ALTER TABLE assets ADD COLUMN asset_category TEXT;
ALTER TABLE assets ADD COLUMN confidence DOUBLE PRECISION CHECK (confidence >= 0 AND confidence <= 1);
ALTER TABLE assets ADD COLUMN description TEXT;
ALTER TABLE assets ADD COLUMN reasoning TEXT;
-- The row of an asset that expired stays, so that an old revision can say what it was; its bytes go. This adds to
-- `permanence_logic`, which stays as it is: nothing permanent has an end.
ALTER TABLE assets ADD COLUMN removed_at BIGINT CONSTRAINT only_temporary_ends
    CHECK (permanence = 'temporary' OR (removed_at IS NULL AND expires_at IS NULL));
CREATE INDEX assets_by_time ON assets (workbench_id, created_at, id);
CREATE INDEX assets_by_end ON assets (expires_at) WHERE expires_at IS NOT NULL AND removed_at IS NULL;

-- Which field of which document names which asset. Made from documents, by the commit that changes them.
CREATE TABLE asset_uses (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    asset_id TEXT NOT NULL,
    document_path TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    field_key TEXT NOT NULL,
    PRIMARY KEY (workbench_id, document_path, field_key, asset_id),
    FOREIGN KEY (workbench_id, asset_id) REFERENCES assets (workbench_id, id) ON DELETE CASCADE
);
CREATE INDEX asset_uses_by_asset ON asset_uses (workbench_id, asset_id, document_path, field_key);

-- Work that outlives the process that asked for it. A job without a workbench is one of the whole store.
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    workbench_id TEXT REFERENCES workbenches (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    dedupe TEXT,
    payload {json} NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    attempts BIGINT NOT NULL CHECK (attempts >= 0),
    max_attempts BIGINT NOT NULL CHECK (max_attempts >= 1),
    run_at BIGINT NOT NULL,
    claimed_by TEXT,
    lease_until BIGINT,
    cancel_asked_at BIGINT,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    error {json},
    result {json},
    CONSTRAINT running_is_claimed CHECK (
        CASE WHEN state = 'running' THEN claimed_by IS NOT NULL AND lease_until IS NOT NULL
             ELSE claimed_by IS NULL AND lease_until IS NULL END
    ),
    CONSTRAINT ended_has_a_time CHECK (
        CASE WHEN state IN ('queued', 'running') THEN finished_at IS NULL ELSE finished_at IS NOT NULL END
    )
);
-- Of all open jobs for one purpose there is one. Without a purpose (NULL) there may be many.
CREATE UNIQUE INDEX jobs_open ON jobs (COALESCE(workbench_id, ''), dedupe) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_by_time ON jobs (created_at, id);
CREATE INDEX jobs_of_workbench ON jobs (workbench_id, created_at, id);

-- When something fires next. `rule` is what `next_at` was reckoned by: when it changes, so does the time.
CREATE TABLE schedules (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    rule TEXT NOT NULL,
    next_at BIGINT NOT NULL,
    last_at BIGINT,
    PRIMARY KEY (workbench_id, name)
);
CREATE INDEX schedules_due ON schedules (next_at);

-- Who may come in by a door. The secret itself is nowhere; a token without a workbench is for all of them.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('reader', 'writer', 'owner')),
    workbench_id TEXT REFERENCES workbenches (id) ON DELETE CASCADE,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX tokens_of_workbench ON tokens (workbench_id);
