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
      `xof `, in lower case.
  - id: version
    size: 4
    terminator: 0
    doc: |
      The major and minor version, two digits each: `0302` or `0303`, with the same layout.
  - id: encoding
    size: 4
    terminator: 0
    doc: |
      The encoding: `txt ` or `bin `; `tzip` or `bzip` if packed.
  - id: float_size
    size: 4
    terminator: 0
    doc: |
      The size of floats in tokens in bits: `0032` or `0064`. Without meaning in text.
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
      Bytes after the damage.
types:
  binary_data:
    doc: |
      Binary data of unknown layout.
    seq:
      - id: data
        size: '_io.size - _io.pos'
        doc: |
          All bytes up to the end of the file.
  binary_location:
    doc: |
      The location and type of binary data.
    seq:
      - id: offset
        type: u8
        doc: |
          The offset of the data in the file. Edits that move the data do not update it.
      - id: size
        type: u8
        doc: |
          The size of the data in bytes.
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
      A chunk: a DEFLATE stream with the preceding 32 KiB of unpacked data as dictionary.
    seq:
      - id: plain_size
        type: u2
        doc: |
          The unpacked size, at most 32,768.
      - id: packed_size
        type: u2
        doc: |
          The size of signature and data.
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
      The packed content.
    seq:
      - id: size
        type: u4
        doc: |
          The size of the unpacked file, including its header of 16 bytes.
      - id: chunks
        type: chunk
        repeat: eos
        doc: |
          The chunks. All but the last unpack to 32 KiB.
  doubles:
    doc: |
      A list of floats of 64 bits.
    seq:
      - id: num_values
        type: u4
        doc: |
          Number of elements of `values`.
      - id: values
        type: f8
        repeat: expr
        repeat-expr: num_values
        doc: |
          The floats.
  float_list:
    doc: |
      A list of floats of the size that the header specifies.
    params:
      - id: float_size
        type: str
    seq:
      - id: single
        type: singles
        if: 'float_size == "0032"'
        doc: |
          Floats of 32 bits.
      - id: double
        type: doubles
        if: 'float_size == "0064"'
        doc: |
          Floats of 64 bits.
  guid:
    doc: |
      A globally unique identifier: `<3D82AB44-62DA-11CF-AB39-0020AF71E433>`.
    seq:
      - id: data1
        type: u4
        doc: |
          The first eight hexadecimal digits.
      - id: data2
        type: u2
        doc: |
          The next four digits.
      - id: data3
        type: u2
        doc: |
          The next four digits.
      - id: data4
        type: u1
        repeat: expr
        repeat-expr: 8
        doc: |
          The last sixteen digits, as bytes.
  integer_list:
    doc: |
      A list of integers.
    seq:
      - id: num_values
        type: u4
        doc: |
          Number of elements of `values`.
      - id: values
        type: u4
        repeat: expr
        repeat-expr: num_values
        doc: |
          The integers.
  singles:
    doc: |
      A list of floats of 32 bits.
    seq:
      - id: num_values
        type: u4
        doc: |
          Number of elements of `values`.
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
          The bytes, without NUL, in the code page of the writer.
  token:
    doc: |
      A token.
    params:
      - id: float_size
        type: str
    seq:
      - id: tag
        type: u2
        doc: |
          The kind of token.
      - id: body
        type: 'token_body(tag, float_size)'
        doc: |
          The data of the token.
  token_body:
    doc: |
      The data of a token; most kinds have none.
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
          A name. Anonymous objects may have an empty one.
      - id: string
        type: text
        if: 'tag == 2'
        doc: |
          A string, followed by a separator token.
      - id: integer
        type: u4
        if: 'tag == 3'
        doc: |
          An integer.
      - id: guid
        type: guid
        if: 'tag == 5'
        doc: |
          A GUID, without angle brackets.
      - id: integer_list
        type: integer_list
        if: 'tag == 6'
        doc: |
          A list of integers. Writers may split lists at any position.
      - id: float_list
        type: 'float_list(float_size)'
        if: 'tag == 7'
        doc: |
          A list of one or more floats.
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
          Text.
      - id: binary
        type: 'token(float_size)'
        repeat: eos
        if: 'encoding == "bin "'
        doc: |
          Binary tokens.
  x_text:
    -leaf: true
    doc: |
      Text. White space is NUL, tab, LF, VT, FF, CR and space. A comment extends from `//` or `#` to the end of the line and
      can begin only where a token can. Marks: braces, brackets, parentheses, angle brackets, comma, semicolon. Strings are
      enclosed in double quotes and have no escapes. GUIDs are enclosed in angle brackets. Keywords and template names are
      case-insensitive.

        file        = { template | object | reference }
        template    = 'template' name '{' [ guid ] { member ';' } [ '[' restriction ']' ] '}'
        member      = [ 'array' ] type name { '[' ( integer | earlier member ) ']' }
        restriction = '...' | name [ guid ] { ',' name [ guid ] }
        object      = template-name [ name ] '{' [ guid ] { value separator } { object | reference } '}'
        reference   = '{' name [ guid ] '}' | '{' guid '}'
        separator   = ';' { ';' } [ ',' ] | ','

      A template without restriction allows no children. Members of a template type are stored inline, without braces.
    seq:
      - id: text
        size-eos: true
