"""All checks of the page, in the order in which they run: (browser, pages, folder for pictures) -> raises what is wrong."""
import checks_figures
import checks_reading
import checks_use
import pictures
from inputs import make_pages  # noqa: F401  (browser_test.py takes it from here)

ALL = [*checks_use.ALL, *checks_figures.ALL, *checks_reading.ALL, *pictures.ALL]
