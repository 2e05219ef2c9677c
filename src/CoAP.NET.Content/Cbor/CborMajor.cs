namespace CoAP.NET.Content.Cbor;

/// <summary>The major types of CBOR (RFC 8949 section 3.1).</summary>
internal enum CborMajor
{
    UnsignedInteger,
    NegativeInteger,
    ByteString,
    TextString,
    Array,
    Map,
    Tag,
    Simple,
}
