# Generated from the structs that read and write the format; never edited by hand.
meta:
  id: x
  title: DirectX .x
  file-extension: x
  license: MIT OR Apache-2.0
  endian: le
doc: |
  A DirectX `.x` file in any of its encodings.
seq:
  - id: magic
    contents: [0x78, 0x6f, 0x66, 0x20]
    doc: |
      `xof `; the native parser minds the case.
  - id: version
    size: 4
    terminator: 0
    doc: |
      Two digits of a major and two of a minor version: `0302` or `0303`, with the same layout.
  - id: encoding
    size: 4
    terminator: 0
    doc: |
      `txt `, `bin `, and `tzip` or `bzip` for their packed forms.
  - id: float_size
    size: 4
    terminator: 0
    doc: |
      Bits of a float in tokens, `0032` or `0064`; a remark in text.
  - id: tokens
    type: 'tokens(encoding.to_s("ASCII"), float_size.to_s("ASCII"))'
    if: not _io.eof
    doc: |
      The content, unless it is packed.
  - id: packed
    type: chunks
    if: not _io.eof
    doc: |
      The packed content.
  - id: rest
    size-eos: true
    doc: |
      Bytes behind the damage.
types:
  binary_data:
    doc: |
      Binary data of an object, of unknown layout.
    seq:
      - id: data
        size: '_io.size - _io.pos'
        doc: |
          All bytes to the end of the file.
  binary_location:
    doc: |
      Where binary data is in the file, and what it is.
    seq:
      - id: offset
        type: u8
        doc: |
          Offset of the data from the beginning of the file. It does not follow edits of what precedes the data.
      - id: size
        type: u8
        doc: |
          Size of the data in bytes.
      - id: len_mime_type
        type: u2
        doc: |
          Length in bytes of `mime_type`.
      - id: mime_type
        size: len_mime_type
        doc: |
          MIME type: `X-File/progressive-mesh`, or empty.
  chunk:
    doc: |
      A chunk. It is DEFLATE of its own, but refers back to the 32 KiB unpacked before it.
    seq:
      - id: plain_size
        type: u2
        doc: |
          Length unpacked, at most 32,768.
      - id: packed_size
        type: u2
        doc: |
          Length of the signature and the data.
      - id: signature
        contents: [0x43, 0x4b]
        doc: |
          `CK`.
      - id: data
        size: 'packed_size - 2'
        doc: |
          The DEFLATE stream.
  chunks:
    doc: |
      The packed form.
    seq:
      - id: size
        type: u4
        doc: |
          Length of the whole file unpacked, its header of 16 bytes included.
      - id: chunks
        type: chunk
        repeat: eos
        doc: |
          The chunks, full ones but for the last.
  doubles:
    doc: |
      Several floats of 64 bits.
    seq:
      - id: num_values
        type: u4
        doc: |
          How many there are of `values`.
      - id: values
        type: f8
        repeat: expr
        repeat-expr: num_values
        doc: |
          The floats.
  float_list:
    doc: |
      Several floats, of the size that the header says.
    params:
      - id: float_size
        type: str
    seq:
      - id: single
        type: singles
        if: 'float_size == "0032"'
        doc: |
          Of 32 bits.
      - id: double
        type: doubles
        if: 'float_size == "0064"'
        doc: |
          Of 64 bits.
  guid:
    doc: |
      A globally unique identifier: `<3D82AB44-62DA-11CF-AB39-0020AF71E433>`.
    seq:
      - id: data1
        type: u4
        doc: |
          The first eight digits.
      - id: data2
        type: u2
        doc: |
          The next four.
      - id: data3
        type: u2
        doc: |
          The next four.
      - id: data4
        type: u1
        repeat: expr
        repeat-expr: 8
        doc: |
          The last sixteen, as bytes.
  integer_list:
    doc: |
      Several integers.
    seq:
      - id: num_values
        type: u4
        doc: |
          How many there are of `values`.
      - id: values
        type: u4
        repeat: expr
        repeat-expr: num_values
        doc: |
          The integers.
  singles:
    doc: |
      Several floats of 32 bits.
    seq:
      - id: num_values
        type: u4
        doc: |
          How many there are of `values`.
      - id: values
        type: f4
        repeat: expr
        repeat-expr: num_values
        doc: |
          The floats.
  text:
    doc: |
      The bytes of a name or string.
    seq:
      - id: len_text
        type: u4
        doc: |
          Length in bytes of `text`.
      - id: text
        size: len_text
        doc: |
          Without NUL, in the code page of the writer.
  token:
    doc: |
      A token, and what belongs to it.
    params:
      - id: float_size
        type: str
    seq:
      - id: tag
        type: u2
        doc: |
          What it is.
      - id: body
        type: 'token_body(tag, float_size)'
        doc: |
          What belongs to it.
  token_body:
    doc: |
      What belongs to a token; most are complete without.
    params:
      - id: tag
        type: u2
      - id: float_size
        type: str
    seq:
      - id: name
        type: text
        if: 'tag == 1'
        doc: |
          A name. Anonymous objects may have one of no bytes.
      - id: string
        type: text
        if: 'tag == 2'
        doc: |
          A string; a separator follows as a token of its own.
      - id: integer
        type: u4
        if: 'tag == 3'
        doc: |
          A number.
      - id: guid
        type: guid
        if: 'tag == 5'
        doc: |
          A GUID, without angles.
      - id: integer_list
        type: integer_list
        if: 'tag == 6'
        doc: |
          Numbers. Where one list ends and the next begins is the writer's choice.
      - id: float_list
        type: 'float_list(float_size)'
        if: 'tag == 7'
        doc: |
          Floats, a single one too.
      - id: binary_data
        type: binary_data
        if: 'tag == 55'
        doc: |
          Binary data that follows the objects, up to the end of the file.
      - id: binary_location
        type: binary_location
        if: 'tag == 254'
        doc: |
          The location of binary data in the file.
  tokens:
    doc: |
      The content of a file.
    params:
      - id: encoding
        type: str
      - id: float_size
        type: str
    seq:
      - id: text
        type: x_text
        if: 'encoding == "txt "'
        doc: |
          Words, marks and numbers.
      - id: binary
        type: 'token(float_size)'
        repeat: eos
        if: 'encoding == "bin "'
        doc: |
          Tokens of two bytes and more.
  x_text:
    -leaf: true
    doc: |
      Text. White space is NUL, tab, LF, VT, FF, CR and blank. A comment runs from `//` or `#` to the end of its line and
      begins only where a token could. Marks: braces, brackets, parentheses, angles, comma, semicolon. Strings stand in
      double quotes and know no escapes. A GUID stands in angles. Keywords and template names have no case.

        file        = { template | object | reference }
        template    = 'template' name '{' [ guid ] { member ';' } [ '[' restriction ']' ] '}'
        member      = [ 'array' ] type name { '[' ( integer | earlier member ) ']' }
        restriction = '...' | name [ guid ] { ',' name [ guid ] }
        object      = template-name [ name ] '{' [ guid ] { value separator } { object | reference } '}'
        reference   = '{' name [ guid ] '}' | '{' guid '}'
        separator   = ';' { ';' } [ ',' ] | ','

      Without restriction a template takes no children. Members of a template's type are laid out in place, without braces.
    seq:
      - id: text
        size-eos: true
