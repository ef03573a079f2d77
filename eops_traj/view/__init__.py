"""The viewer: a local web app in which people look at the episodes of a store.

:mod:`.index` holds the columns by which episodes are searched, :mod:`.query` the filters and order that a
URL asks for, and :mod:`.app` the pages. It reads and never writes; everything that a page shows is escaped,
since texts of models and tools are not to be trusted.
"""
