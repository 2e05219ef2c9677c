namespace CoAP.NET.Observing;

/// <summary>The observer settings of a route.</summary>
/// <param name="MaxAge">The Max-Age of notifications and responses to registrations without one, in seconds.</param>
/// <param name="Confirmable">Whether notifications are Confirmable messages.</param>
/// <param name="Refreshes">Whether a notification is sent before Max-Age ends even if nothing changed.</param>
/// <param name="Probes">Whether a Non-confirmable notification may become Confirmable to measure the round-trip time.</param>
/// <param name="ConfirmableEvery">The time after which the next notification is Confirmable, in units of 100 ns.</param>
/// <param name="SameForAll">
/// Whether the state is the same for all clients; null if the route has not said so. Known in the effective settings of a route.
/// </param>
internal sealed record RouteObserveSettings(
    uint MaxAge, bool Confirmable, bool Refreshes, bool Probes, long ConfirmableEvery, bool? SameForAll)
{
    /// <summary>
    /// A Confirmable notification at least every 24 hours (RFC 7641 section 4.5), in units of 100 ns. An hour early, so that delays do not
    /// matter.
    /// </summary>
    public static readonly long LongestConfirmableEvery = TimeSpan.FromHours(23).Ticks;

    /// <summary>Those of a route that is not observable, although its group is.</summary>
    public static readonly RouteObserveSettings None = new(0, false, false, false, 0, null);

    /// <summary>Returns the settings of a user, with times in the units of the server.</summary>
    public static RouteObserveSettings Of(CoapRouteObserveSettings settings)
    {
        settings.MakeReadOnly("a route");
        return new((uint)(settings.MaxAge.Ticks / TimeSpan.TicksPerSecond), settings.Confirmable, settings.Refresh, settings.Probe,
            CheckConfirmableEvery(settings.ConfirmableEvery, nameof(settings.ConfirmableEvery)), settings.SameForAll);
    }

    /// <summary>Validates a time of a user.</summary>
    /// <returns>The time in units of 100 ns, at most <see cref="LongestConfirmableEvery"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Below 1 s or above 24 h.</exception>
    public static long CheckConfirmableEvery(TimeSpan every, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(every, TimeSpan.FromSeconds(1), name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(every, TimeSpan.FromHours(24), name);
        return Math.Min(every.Ticks, LongestConfirmableEvery);
    }
}
