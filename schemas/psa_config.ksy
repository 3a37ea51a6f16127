# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: psa_config
  title: UE Viewer's text beside Unreal animations
  file-extension: config
  license: MIT OR Apache-2.0
  endian: le
doc: |
  UE Viewer's `.config` next to a PSA file: the tracks that the game does not have.

  Without it, bones whose tracks UE Viewer filled with zeros collapse to the origin. The text is preserved.


  Text has no fields in a schema; its grammar is given in words.
seq:
  - id: tokens
    type: config_text
    doc: |
      The text.
  - id: rest
    size-eos: true
    doc: |
      The bytes from the first invalid line on.
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
