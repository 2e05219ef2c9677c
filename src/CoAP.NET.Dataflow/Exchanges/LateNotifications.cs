namespace CoAP.NET.Exchanges;

/// <summary>The handling of notifications of an observation.</summary>
internal enum LateNotifications : byte
{
    /// <summary>Accept them: the observation is active.</summary>
    Take,

    /// <summary>Reject them, because the observation is being cancelled (RFC 7641 section 3.6).</summary>
    Refuse,

    /// <summary>Ignore them, because another process continues the observation.</summary>
    Ignore,
}
