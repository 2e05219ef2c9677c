namespace CoAP.NET.Resources;

/// <summary>Whether one more request of a peer may be served.</summary>
internal enum ServedVerdict : byte
{
    /// <summary>It may.</summary>
    Enters,

    /// <summary>As many are served as may be.</summary>
    Full,

    /// <summary>Its source has as many under way as it may have with so few places free.</summary>
    Share,

    /// <summary>Those of unverified addresses have all under way that they may have together.</summary>
    Unverified,
}
