namespace CoAP.NET.Observing;

/// <summary>Determines which of two notifications was sent later (RFC 7641 section 3.4).</summary>
internal static class NotificationOrder
{
    private const uint HalfOfTheNumbers = 1u << 23;
    private static readonly long s_always = TimeSpan.FromSeconds(128).Ticks;

    /// <summary>Returns whether a notification is newer than the newest one so far.</summary>
    /// <param name="known">The Observe value of the newest one so far, 24 bits.</param>
    /// <param name="knownAt">The time of its arrival, in units of 100 ns.</param>
    /// <param name="number">The Observe value of the new one, 24 bits.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public static bool IsNewer(uint known, long knownAt, uint number, long now) =>
        (known < number && number - known < HalfOfTheNumbers)
        || (known > number && known - number > HalfOfTheNumbers)
        || now - knownAt > s_always;
}
