namespace CoAP.NET.Content.Cbor;

/// <summary>The encoding indicators for the argument of an item (RFC 8949 section 8.1).</summary>
internal enum CborEncodingIndicator
{
    /// <summary>No indicator: the shortest encoding.</summary>
    Shortest,

    /// <summary><c>_i</c>: in the initial byte.</summary>
    Immediate,

    /// <summary><c>_0</c>: one byte.</summary>
    One,

    /// <summary><c>_1</c>: two bytes.</summary>
    Two,

    /// <summary><c>_2</c>: four bytes.</summary>
    Four,

    /// <summary><c>_3</c>: eight bytes.</summary>
    Eight,

    /// <summary><c>_</c>: a break ends the item.</summary>
    Indefinite,
}
