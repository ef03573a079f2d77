"""The viewer: a local web app in which people look at the episodes of a store.

:mod:`.index` holds the columns by which episodes are found, :mod:`.query` what a URL asks of them, and
:mod:`.app` the pages. It reads and never writes; everything that a page shows is escaped, since what models
and tools said is not to be trusted.
"""
