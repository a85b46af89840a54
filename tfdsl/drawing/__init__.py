"""A job as a picture (``tfdsl graph``).

:mod:`~tfdsl.drawing.topology` makes a :class:`~tfdsl.drawing.picture.Picture` of a job: boxes and links, without sizes
or places. :mod:`~tfdsl.drawing.layout` puts them somewhere, and :mod:`~tfdsl.drawing.svg` draws that;
:mod:`~tfdsl.drawing.flowcharts` leaves the places to the programs that read Mermaid and dot.
"""
