-- What may leave the machine, what did, and local counts. None of it is part of a state: undoing a change must not
-- give a consent back, and a copy of a workbench begins without any.

CREATE TABLE consents (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    model_id TEXT NOT NULL,
    host TEXT NOT NULL,
    reach TEXT NOT NULL CHECK (reach IN ('once', 'kept', 'all')),
    scope_hash TEXT,
    granted_by TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (workbench_id, id),
    CONSTRAINT scope_unless_all CHECK (reach = 'all' OR scope_hash IS NOT NULL)
);

-- One row for each call, written before it is sent; no content.
CREATE TABLE egress (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    purpose TEXT NOT NULL,
    model_id TEXT NOT NULL,
    scope_hash TEXT NOT NULL,
    input_tokens BIGINT,
    output_tokens BIGINT,
    outcome TEXT NOT NULL,
    PRIMARY KEY (workbench_id, id)
);
CREATE INDEX egress_by_time ON egress (workbench_id, at);

-- `category` and `model_id` are empty where they say nothing.
CREATE TABLE counts (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    model_id TEXT NOT NULL,
    times BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (workbench_id, name, category, model_id)
);
