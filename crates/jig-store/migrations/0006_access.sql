-- Which revision numbers of a document are spent: it was deleted, or went back to an older revision, in this revision.
-- The next write of the address gets a higher number, so that nobody's base fits content that they never saw. The
-- empty path stands for all documents of a workbench with this id that was deleted; it outlives the workbench.
CREATE TABLE revision_marks (
    workbench_id TEXT NOT NULL,
    path TEXT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (workbench_id, path)
);

-- Whether a person or an agent holds a token. All earlier tokens were given to people.
ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'agent'));
