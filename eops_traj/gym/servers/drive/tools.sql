--- Google Drive. How headers and slots are read: eops_traj/gym/tools/declarations.py. Most tools look at who may do what
--- before they act, and so are functions; tools.py lists them.

--- Arguments that many tools share
--   fileId: Id of the file or folder. {type: string, minLength: 1}
--   driveId: Id of the shared drive. {type: string}
--   teamDriveId: The driveId by its old name. {type: string}
--   parents: Id of the folder, or of the shared drive at whose top the file goes; one only. {type: array, items: {type: string}}
--   commentId: Id of the comment. {type: string, minLength: 1}
--   replyId: Id of the reply. {type: string, minLength: 1}
--   permissionId: Id of the permission. {type: string, minLength: 1}
--   proposalId: Id of the request for access. {type: string, minLength: 1}
--   revisionId: Id of the revision. {type: string, minLength: 1}
--   pageSize: How many to show at most. {type: integer, minimum: 1, maximum: 100, default: 100}
--   pageToken: The nextPageToken of the page before; without it, the first page. {type: string, examples: [MTA]}
--   includeDeleted: Whether deleted ones are shown too, without their content. {type: boolean, default: false}
--   supportsAllDrives: Whether you can handle shared drives; it changes nothing here. {type: boolean, default: false}
--   useDomainAdminAccess: Whether to act as an administrator of the domain, not as a member. {type: boolean, default: false}
--   includePermissionsForView: The view whose permissions to add; only published exists. {type: string}
--   includeLabels: Ids of labels to show in labelInfo, with commas between. {type: string}
--   acknowledgeAbuse: Whether you accept the risk of a file that is known to do harm. {type: boolean}
--   ignoreDefaultVisibility: Whether the domain's usual visibility is not applied. {type: boolean, default: false}
--   keepRevisionForever: Whether the first revision is kept for ever. {type: boolean, default: false}
--   ocrLanguage: Language of the text in an image (ISO 639-1). {type: string}
--   transferOwnership: Confirms that the role owner takes the file from its owner, who becomes a writer. {type: boolean, default: false}
--   enforceExpansiveAccess: Whether to follow the rules for expansive access. {type: boolean, default: false}
--   includeCorpusRemovals: Whether a file that left the list is told of while you can still see it. {type: boolean, default: false}
--   restrictToMyDrive: Whether to leave out what lies elsewhere than in My Drive. {type: boolean, default: false}
--   includeItemsFromAllDrives: Whether items of shared drives are told of too. {type: boolean}
--   spaces: Where to look, with commas between; drive and appDataFolder exist. {type: string, examples: [drive]}

-- get_operations(name!) -> row
-- The state of a long-running operation, such as a download or an export.
--   name: {minLength: 11, pattern: ^operations/.+}
-- @closed
-- @else NOT_FOUND: Operation not found: {name}.
SELECT 'operations/' || replace(name, 'operations/', '') AS name, operation_metadata AS "metadata JSON",
    coalesce(status <> 'running', 0) AS "done BOOLEAN", response_data AS "response JSON", error_data AS "error JSON"
FROM operations WHERE :name IN (name, 'operations/' || name, 'operations/' || id) ORDER BY id LIMIT 1;

-- stop_channels(id!, resourceId! = resource_id, token) -> done of channels
-- Stop the notifications of a channel.
--   id: Id that you gave the channel. {minLength: 1}
--   resourceId: Id of what the channel watches, as its opening told it. {minLength: 1}
--   token: Text of the channel; where given it must be the right one.
-- @closed
-- @else NOT_FOUND: Channel '{id}' not found.
UPDATE channels SET active = 0
WHERE id = :id AND resource_id = :resourceId AND active IS NOT 0 AND user_id IS :caller_id
    AND (:token IS NULL OR token = :token)
RETURNING 1;
