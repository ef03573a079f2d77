"""Tools of a server: how they are declared, and how a call is checked and made."""
