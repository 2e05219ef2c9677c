namespace CoAP.NET;

/// <summary>The limits of observers and observations (RFC 7641).</summary>
/// <remarks>The group <see cref="CoapLimits.Observe"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapObserveLimits
{
    internal CoapObserveLimits()
    {
    }

    /// <summary>The maximum number of observations in the whole endpoint, including those being cancelled.</summary>
    /// <remarks>When full: a <see cref="CoapException"/>.</remarks>
    [NumberRange(0)]
    public partial int MaxObservations { get; set; } = 200_000;

    /// <summary>The maximum number of observers in the whole endpoint (RFC 7641 section 4.1).</summary>
    /// <remarks>
    /// When full: if another source (<see cref="CoapQuotaSource"/>) has more observers than the source of the newcomer would have, one
    /// observer of that source is evicted, counted as <c>ObserversEvicted</c>. It belongs to the client that neither registered nor
    /// acknowledged a notification for longest; if its address is verified, it gets 5.03. Otherwise the registration is answered as a plain
    /// request, without Observe, counted as <c>RegistrationsRefused</c>.
    /// </remarks>
    [NumberRange(0, 100_000_000)]
    public partial int MaxObservers { get; set; } = 200_000;

    /// <summary>The maximum number of observers of one peer.</summary>
    /// <remarks>
    /// When full: a registration is answered as a plain request, without Observe, counted as <c>RegistrationsRefused</c>.
    /// </remarks>
    [NumberRange(0, 1_000_000)]
    public partial int MaxObserversPerPeer { get; set; } = 1000;

    /// <summary>The maximum number of observers with unverified addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>When full: see <see cref="MaxObserversPerPeer"/>.</remarks>
    [NumberRange(0, 100_000_000)]
    public partial int MaxUnverifiedObserversPerSource { get; set; } = 1000;

    /// <summary>
    /// The maximum number of Non-confirmable notifications to a peer with an unverified address between two acknowledgements (RFC 7641
    /// section 7).
    /// </summary>
    /// <remarks>When full: the next one is Confirmable, and no more are sent until it is acknowledged.</remarks>
    [NumberRange(0, 1_000_000)]
    public partial int MaxUnacknowledgedNotifications { get; set; } = 10;
}
