/** Settings of the engine at its start. Dictionaries of words would bend identifiers towards English. */
export const ENGINE_CONFIG = {
  load_system_dawg: '0', load_freq_dawg: '0', load_unambig_dawg: '0', load_punc_dawg: '0', load_number_dawg: '0', load_bigram_dawg: '0',
}

/** Settings of each reading besides its mode, which is a single line: capital letters and digits, dark on light. */
export const LINE_PARAMETERS = {
  tessedit_char_whitelist: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-',
  tessedit_do_invert: '0',
  user_defined_dpi: '150',
}

/** Number of lines that are read of one picture at most. */
export const MAX_LINES = 4
