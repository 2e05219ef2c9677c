namespace CoAP.NET.Blockwise;

/// <summary>Why there is no room for a body.</summary>
internal enum BodyShortage : byte
{
    /// <summary>There is.</summary>
    None,

    /// <summary>Its source takes its share already.</summary>
    Share,

    /// <summary>All of them together leave too little.</summary>
    All,
}
