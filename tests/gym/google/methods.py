"""Each tool of calendar, email and drive, with the method of Google's API that it stands for."""

CALENDAR = {
    "create_calendar": "calendars.insert",
    "get_calendar": "calendars.get",
    "patch_calendar": "calendars.patch",
    "update_calendar": "calendars.update",
    "delete_calendar": "calendars.delete",
    "clear_calendar": "calendars.clear",
    "get_calendar_list": "calendarList.list",
    "get_calendar_from_list": "calendarList.get",
    "add_calendar_to_list": "calendarList.insert",
    "update_calendar_in_list": "calendarList.patch",
    "replace_calendar_in_list": "calendarList.update",
    "remove_calendar_from_list": "calendarList.delete",
    "watch_calendar_list": "calendarList.watch",
    "list_events": "events.list",
    "create_event": "events.insert",
    "get_event": "events.get",
    "patch_event": "events.patch",
    "update_event": "events.update",
    "delete_event": "events.delete",
    "move_event": "events.move",
    "quick_add_event": "events.quickAdd",
    "import_event": "events.import",
    "get_event_instances": "events.instances",
    "watch_events": "events.watch",
    "get_colors": "colors.get",
    "get_settings": "settings.get",
    "list_settings": "settings.list",
    "watch_settings": "settings.watch",
    "get_acl_rule": "acl.get",
    "list_acl_rules": "acl.list",
    "insert_acl_rule": "acl.insert",
    "update_acl_rule": "acl.update",
    "patch_acl_rule": "acl.patch",
    "delete_acl_rule": "acl.delete",
    "watch_acl": "acl.watch",
    "query_freebusy": "freebusy.query",
}

EMAIL = {
    "get_user_profile": "users.getProfile",
    "stop_user_watch": "users.stop",
    "watch_user_mailbox": "users.watch",
    "list_history": "users.history.list",
    "get_attachment": "users.messages.attachments.get",
    **{f"{verb}_draft": f"users.drafts.{verb}" for verb in ("create", "delete", "get", "send", "update")},
    "list_drafts": "users.drafts.list",
    **{f"{verb}_label": f"users.labels.{verb}" for verb in ("create", "delete", "get", "patch", "update")},
    "list_labels": "users.labels.list",
    **{
        f"{verb}_message": f"users.messages.{verb}"
        for verb in ("delete", "get", "import", "insert", "modify", "send", "trash", "untrash")
    },
    "batch_delete_messages": "users.messages.batchDelete",
    "batch_modify_messages": "users.messages.batchModify",
    "list_messages": "users.messages.list",
    **{f"{verb}_thread": f"users.threads.{verb}" for verb in ("delete", "get", "modify", "trash", "untrash")},
    "list_threads": "users.threads.list",
    **{
        f"{verb}_{tool}": f"users.settings.{verb}{method}"
        for verb in ("get", "update")
        for tool, method in {
            "auto_forwarding": "AutoForwarding",
            "imap_settings": "Imap",
            "language_settings": "Language",
            "pop_settings": "Pop",
            "vacation_settings": "Vacation",
        }.items()
    },
    **{
        f"{verb}_cse_identity": f"users.settings.cse.identities.{verb}"
        for verb in ("create", "delete", "get", "patch")
    },
    "list_cse_identities": "users.settings.cse.identities.list",
    **{
        f"email_{verb}_cse_keypair": f"users.settings.cse.keypairs.{verb}"
        for verb in ("create", "disable", "enable", "get", "obliterate")
    },
    "email_list_cse_keypairs": "users.settings.cse.keypairs.list",
    **{f"email_{verb}_delegate": f"users.settings.delegates.{verb}" for verb in ("create", "delete", "get")},
    "email_list_delegates": "users.settings.delegates.list",
    **{f"{verb}_filter": f"users.settings.filters.{verb}" for verb in ("create", "delete", "get")},
    "list_filters": "users.settings.filters.list",
    **{
        f"{verb}_forwarding_address": f"users.settings.forwardingAddresses.{verb}"
        for verb in ("create", "delete", "get")
    },
    "list_forwarding_addresses": "users.settings.forwardingAddresses.list",
    **{
        f"{verb}_send_as_alias": f"users.settings.sendAs.{verb}"
        for verb in ("create", "delete", "get", "patch", "update", "verify")
    },
    "list_send_as_aliases": "users.settings.sendAs.list",
    **{
        f"{verb}_smime_config": f"users.settings.sendAs.smimeInfo.{verb}"
        for verb in ("delete", "get", "insert")
    },
    "list_smime_configs": "users.settings.sendAs.smimeInfo.list",
    "set_default_smime_config": "users.settings.sendAs.smimeInfo.setDefault",
}

DRIVE = {
    "get_operations": "operations.get",
    "get_drive": "drives.get",
    "hide_drives": "drives.hide",
    "unhide_drives": "drives.unhide",
    "create_drive": "drives.create",
    "delete_drive": "drives.delete",
    "list_drives": "drives.list",
    "update_drives": "drives.update",
    "get_comments": "comments.get",
    **{f"{verb}_comments": f"comments.{verb}" for verb in ("create", "delete", "list", "update")},
    "copy_files": "files.copy",
    **{f"{verb}_permission": f"permissions.{verb}" for verb in ("create", "delete", "get", "list", "update")},
    **{f"{verb}_accessproposals": f"accessproposals.{verb}" for verb in ("get", "resolve", "list")},
    "update_teamdrive": "teamdrives.update",
    **{f"{verb}_teamdrives": f"teamdrives.{verb}" for verb in ("create", "delete", "get", "list")},
    **{f"{verb}_revisions": f"revisions.{verb}" for verb in ("list", "get", "delete", "update")},
    "stop_channels": "channels.stop",
    "get_files": "files.get",
    "list_files": "files.list",
    "update_files": "files.update",
    "create_file": "files.create",
    "delete_files": "files.delete",
    "empty_files_trash": "files.emptyTrash",
    "export_files": "files.export",
    "generate_files_Ids": "files.generateIds",
    "list_files_labels": "files.listLabels",
    "modify_files_labels": "files.modifyLabels",
    "watch_files": "files.watch",
    "download_files": "files.download",
    **{f"{verb}_replies": f"replies.{verb}" for verb in ("create", "delete", "get", "list", "update")},
    "get_about": "about.get",
    "get_app": "apps.get",
    "list_apps": "apps.list",
    "get_changes_start_page_token": "changes.getStartPageToken",
    "list_changes": "changes.list",
    "watch_changes": "changes.watch",
}

APIS = {"calendar": ("calendar.v3", CALENDAR), "email": ("gmail.v1", EMAIL), "drive": ("drive.v3", DRIVE)}
"""By the first part of a server's name: its document, and its tools' methods."""
NONE = {"get_user_by_email"}
"""Tools that Google's API has no method for."""
