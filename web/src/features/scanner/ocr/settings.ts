/** Start settings of the OCR engine. Word dictionaries are off, because they would change identifiers into English words. */
export const OCR_ENGINE_CONFIG = {
  load_system_dawg: '0', load_freq_dawg: '0', load_unambig_dawg: '0', load_punc_dawg: '0', load_number_dawg: '0', load_bigram_dawg: '0',
}

/** Settings of the OCR engine for each line, in addition to the single-line mode: capital letters and digits, dark on light. */
export const OCR_LINE_PARAMETERS = {
  tessedit_char_whitelist: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-',
  tessedit_do_invert: '0',
  user_defined_dpi: '150',
}

/** Maximum number of lines that are read from one picture. */
export const MAX_LINES_PER_PICTURE = 4
