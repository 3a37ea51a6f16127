# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: psa_config
  title: UE Viewer's text beside Unreal animations
  file-extension: config
  license: MIT OR Apache-2.0
  endian: le
doc: |
  UE Viewer's `.config` beside a PSA file: what the file cannot say of its tracks.

  Without it, bones whose tracks UE Viewer filled with zeros fall into the origin. The text is kept as it is.


  Text has no fields in a schema; its grammar is given in words.
seq:
  - id: lexemes
    type: config_text
    doc: |
      The text.
  - id: rest
    size-eos: true
    doc: |
      Bytes from the first line on that is none.
types:
  config_text:
    -leaf: true
    doc: |
      Lines that end with LF or CR LF; any may be empty.

        file    = { section }
        section = '[' name ']' { name | name '=' value }
        name    = in RemoveTracks a sequence, a full stop and the index of a bone
    seq:
      - id: text
        size-eos: true
