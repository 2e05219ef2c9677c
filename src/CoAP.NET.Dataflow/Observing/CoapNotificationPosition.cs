namespace CoAP.NET;

/// <summary>
/// The newest notification of an observation: its place in the order of notifications (RFC 7641 section 3.4), tied to the wall clock, so it
/// has the same meaning in another process.
/// </summary>
public sealed class CoapNotificationPosition
{
    /// <summary>Creates it.</summary>
    /// <param name="number">The value of its Observe option, 24 bits.</param>
    /// <param name="at">The time of its arrival.</param>
    /// <param name="maxAge">How long it is fresh; if it expires without another notification, the observer registers again.</param>
    public CoapNotificationPosition(uint number, DateTimeOffset at, TimeSpan maxAge)
    {
        Number = number;
        At = at;
        MaxAge = maxAge;
    }

    /// <summary>The value of its Observe option, 24 bits.</summary>
    public uint Number { get; }

    /// <summary>The time of its arrival.</summary>
    public DateTimeOffset At { get; }

    /// <summary>How long it is fresh; if it expires without another notification, the observer registers again.</summary>
    public TimeSpan MaxAge { get; }
}
