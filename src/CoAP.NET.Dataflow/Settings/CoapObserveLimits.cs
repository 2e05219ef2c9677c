namespace CoAP.NET;

/// <summary>The limits of observers and observations (RFC 7641).</summary>
/// <remarks>The group <see cref="CoapLimits.Observe"/>. Mutable; the endpoint copies it when it is created.</remarks>
public sealed class CoapObserveLimits
{
    internal CoapObserveLimits()
    {
    }

    /// <summary>The maximum number of observations in the whole endpoint, including those being cancelled.</summary>
    /// <remarks>Default 200,000. When full: a <see cref="CoapException"/>.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxObservations { get; set => field = ValueGuard.InRange(value, 0, int.MaxValue); } = 200_000;

    /// <summary>The maximum number of observers in the whole endpoint (RFC 7641 section 4.1).</summary>
    /// <remarks>
    /// Default 200,000; 0 to 100,000,000. When full: if another source (<see cref="CoapQuotaSource"/>) has more observers than the source
    /// of the newcomer would have, one observer of that source is evicted, counted as <c>ObserversEvicted</c>. It belongs to
    /// the client that neither registered nor acknowledged a notification for longest; if its address is verified, it gets 5.03. Otherwise
    /// the registration is answered as a plain request, without Observe, counted as <c>RegistrationsRefused</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxObservers { get; set => field = ValueGuard.InRange(value, 0, 100_000_000); } = 200_000;

    /// <summary>The maximum number of observers of one peer.</summary>
    /// <remarks>
    /// Default 1,000; 0 to 1,000,000. When full: a registration is answered as a plain request, without Observe, counted as
    /// <c>RegistrationsRefused</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxObserversPerPeer { get; set => field = ValueGuard.InRange(value, 0, 1_000_000); } = 1000;

    /// <summary>The maximum number of observers with unverified addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>Default 1,000; 0 to 100,000,000. When full: see <see cref="MaxObserversPerPeer"/>.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxUnverifiedObserversPerSource { get; set => field = ValueGuard.InRange(value, 0, 100_000_000); } = 1000;

    /// <summary>
    /// The maximum number of Non-confirmable notifications to a peer with an unverified address between two acknowledgements (RFC 7641
    /// section 7).
    /// </summary>
    /// <remarks>
    /// Default 10; 0 to 1,000,000. When full: the next one is Confirmable, and no more are sent until it is acknowledged.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxUnacknowledgedNotifications { get; set => field = ValueGuard.InRange(value, 0, 1_000_000); } = 10;

    internal CoapObserveLimits Clone() => (CoapObserveLimits)MemberwiseClone();
}
