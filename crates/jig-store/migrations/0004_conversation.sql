-- The conversation of each workbench: what people and agents said, and what was done. It is no part of a state: undoing
-- a change takes nothing of it away. A message is written once; one that takes others back is a later message, whose
-- `undone_after` says after which number.
--
-- `private_to` is the name of the one person who sees the message; NULL when everybody does.
CREATE TABLE messages (
    workbench_id TEXT NOT NULL REFERENCES workbenches (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL CHECK (seq >= 1),
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor {json} NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    artifact TEXT,
    text TEXT NOT NULL,
    private_to TEXT,
    operation TEXT,
    journal_seq BIGINT,
    session TEXT,
    run TEXT,
    undone_after BIGINT CHECK (undone_after >= 0 AND undone_after < seq),
    PRIMARY KEY (workbench_id, seq),
    UNIQUE (workbench_id, id)
);
CREATE INDEX messages_by_artifact ON messages (workbench_id, artifact, seq) WHERE artifact IS NOT NULL;
CREATE INDEX messages_that_undo ON messages (workbench_id, seq) WHERE undone_after IS NOT NULL;

-- only sqlite
CREATE TRIGGER messages_are_not_updated BEFORE UPDATE ON messages
BEGIN
    SELECT RAISE(ABORT, 'the conversation is never changed');
END;
CREATE TRIGGER messages_are_not_replaced BEFORE INSERT ON messages
WHEN EXISTS (SELECT 1 FROM messages WHERE workbench_id = NEW.workbench_id AND seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the conversation is never changed');
END;
CREATE TRIGGER messages_are_not_deleted BEFORE DELETE ON messages
WHEN EXISTS (SELECT 1 FROM workbenches WHERE id = OLD.workbench_id)
BEGIN
    SELECT RAISE(ABORT, 'the conversation is never changed');
END;
-- only postgres
CREATE FUNCTION messages_are_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT 1 FROM workbenches WHERE id = OLD.workbench_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'the conversation is never changed';
END
$$;
CREATE TRIGGER messages_are_not_changed BEFORE UPDATE OR DELETE ON messages
FOR EACH ROW EXECUTE FUNCTION messages_are_written_once();
CREATE TRIGGER messages_are_not_emptied BEFORE TRUNCATE ON messages
FOR EACH STATEMENT EXECUTE FUNCTION messages_are_written_once();
-- both
