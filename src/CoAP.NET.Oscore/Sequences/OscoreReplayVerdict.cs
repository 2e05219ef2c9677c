namespace CoAP.NET.Oscore;

/// <summary>What <see cref="OscoreReplayWindow.Take"/> says of a request that is authentic.</summary>
internal enum OscoreReplayVerdict : byte
{
    /// <summary>It is new, and is noted.</summary>
    Fresh,

    /// <summary>It came before, or is too old to know.</summary>
    Replayed,

    /// <summary>The window is lost: nobody knows. Ask by Echo, and do not execute it.</summary>
    Unknown,
}
