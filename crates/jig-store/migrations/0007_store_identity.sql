-- The id of this store. The blob store holds the same id, so that a database is never used with the blobs of another one.
CREATE TABLE store_identity (
    one BIGINT PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL
);
