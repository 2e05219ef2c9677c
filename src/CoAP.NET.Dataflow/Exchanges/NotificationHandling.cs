namespace CoAP.NET.Exchanges;

/// <summary>What to do with notifications for a token.</summary>
internal enum NotificationHandling : byte
{
    /// <summary>Accept them: the observation is active.</summary>
    Accept,

    /// <summary>Reject them, because the observation is being cancelled (RFC 7641 section 3.6).</summary>
    Reject,

    /// <summary>Ignore them, because another process continues the observation.</summary>
    Ignore,
}
