"""Makes every sample anew: `python all.py [SOFFICE]`. The README says what is needed."""
import sys

import convert
import docx_hand
import docx_library
import pptx_hand
import pptx_library
import xlsx_hand
import xlsx_library

for module in (xlsx_library, xlsx_hand, docx_library, docx_hand, pptx_library, pptx_hand):
    module.make()
convert.make(sys.argv[1] if len(sys.argv) > 1 else "soffice")
