namespace CoAP.NET.Observing;

/// <summary>What a route says of its observers.</summary>
/// <param name="MaxAge">The Max-Age of answers to registrations and of notifications that name none, in seconds.</param>
/// <param name="Mode">How notifications are sent.</param>
/// <param name="Refreshes">Whether a notification is sent before Max-Age ends although nothing changed.</param>
/// <param name="Probes">Whether one of the Non-confirmable notifications may be Confirmable so that it tells the round-trip time.</param>
/// <param name="ConfirmableEvery">After what time the next notification is Confirmable, in units of 100 ns.</param>
internal sealed record ObserveSettings(uint MaxAge, CoapNotificationMode Mode, bool Refreshes, bool Probes, long ConfirmableEvery)
{
    /// <summary>
    /// A Confirmable notification at least every 24 hours (RFC 7641 section 4.5), in units of 100 ns. An hour early, so that whatever
    /// delays it does not matter.
    /// </summary>
    public static readonly long LongestConfirmableEvery = TimeSpan.FromHours(23).Ticks;

    /// <summary>Checks what a user says.</summary>
    /// <returns>In units of 100 ns, and at most <see cref="LongestConfirmableEvery"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Below 1 s or above 24 h.</exception>
    public static long CheckConfirmableEvery(TimeSpan every, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(every, TimeSpan.FromSeconds(1), name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(every, TimeSpan.FromHours(24), name);
        return Math.Min(every.Ticks, LongestConfirmableEvery);
    }
}
