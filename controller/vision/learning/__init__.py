"""What an opening picture teaches of one table: how large its coins are, and what each kind looks like.

`opening` is all that others need. Must not know where pictures come from.
"""
