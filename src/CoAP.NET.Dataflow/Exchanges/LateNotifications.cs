namespace CoAP.NET.Exchanges;

/// <summary>What becomes of the notifications of an observation.</summary>
internal enum LateNotifications : byte
{
    /// <summary>They are taken: it is observed.</summary>
    Take,

    /// <summary>They are rejected, because the observation is being cancelled (RFC 7641 section 3.6).</summary>
    Refuse,

    /// <summary>They are ignored as if they had not come, because another process goes on with the observation.</summary>
    Ignore,
}
