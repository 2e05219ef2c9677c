namespace CoAP.NET.Oscore.Sequences;

/// <summary>The verdict of <see cref="OscoreReplayWindow.Take"/> on an authentic request.</summary>
internal enum OscoreReplayVerdict : byte
{
    /// <summary>It is new, and now recorded.</summary>
    Fresh,

    /// <summary>It came before, or is too old to know.</summary>
    Replayed,

    /// <summary>The window is lost, so it may be a replay. Challenge it with an Echo, and do not execute it.</summary>
    Unknown,
}
