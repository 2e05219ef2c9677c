namespace CoAP.NET.Blockwise;

/// <summary>Why there is no room for a body.</summary>
internal enum BodyShortage : byte
{
    /// <summary>There is.</summary>
    None,

    /// <summary>Its source takes its share already.</summary>
    Share,

    /// <summary>The newcomers take their part already.</summary>
    Newcomers,

    /// <summary>Those that came back but were never verified leave too little of their part.</summary>
    Unverified,

    /// <summary>All of them together leave too little.</summary>
    All,
}
