"""The language server.

``features/`` holds pure functions of a snapshot of a text (and a place in it); they know characters and spans.
``server`` alone knows the protocol: it turns positions into offsets and what the features give into messages.
"""
