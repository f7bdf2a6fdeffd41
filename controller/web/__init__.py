"""Scoreboard, umpire's console and the hall's big board as web pages. Does not know how a ruling comes about.

`view` says what a table must offer, `feed` and `broadcast` carry changes to the pages, `sessions` and `tries` keep the
console, `app` is the routes, `hosts` and `door` say who is answered, `server` runs them in a thread. The pages in
`static/` are plain modules and SVG, which `files` sends and `bundle` joins; nothing comes from outside.
"""

from controller.web.app import create_app
from controller.web.feed import Feed
from controller.web.server import WebServer
from controller.web.view import Snapshot, TableView

__all__ = ["Feed", "Snapshot", "TableView", "WebServer", "create_app"]
