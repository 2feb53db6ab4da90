// SPDX-License-Identifier: BSD-3-Clause
// A library that tests preload: it takes the place of libxml2, with which libarchive reads .xar, and of the 4 libraries that libxml2
// needs (ICU, libstdc++). Loading them takes a third of the time that a program needs to start. None of these functions is called.
#include <stdlib.h>

#define ABSENT(name) \
    void name(void); \
    void name(void) { abort(); }
ABSENT(UTF8Toisolat1)
ABSENT(xmlBufferCreate)
ABSENT(xmlBufferFree)
ABSENT(xmlCleanupParser)
ABSENT(xmlFreeTextReader)
ABSENT(xmlFreeTextWriter)
ABSENT(xmlNewTextWriterMemory)
ABSENT(xmlReaderForIO)
ABSENT(xmlTextReaderConstLocalName)
ABSENT(xmlTextReaderConstValue)
ABSENT(xmlTextReaderIsEmptyElement)
ABSENT(xmlTextReaderMoveToFirstAttribute)
ABSENT(xmlTextReaderMoveToNextAttribute)
ABSENT(xmlTextReaderNodeType)
ABSENT(xmlTextReaderRead)
ABSENT(xmlTextReaderSetErrorHandler)
ABSENT(xmlTextWriterEndDocument)
ABSENT(xmlTextWriterEndElement)
ABSENT(xmlTextWriterSetIndent)
ABSENT(xmlTextWriterStartDocument)
ABSENT(xmlTextWriterStartElement)
ABSENT(xmlTextWriterWriteAttribute)
ABSENT(xmlTextWriterWriteBase64)
ABSENT(xmlTextWriterWriteFormatAttribute)
ABSENT(xmlTextWriterWriteString)
