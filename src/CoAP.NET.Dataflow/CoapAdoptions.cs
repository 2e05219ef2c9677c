namespace CoAP.NET;

/// <summary>
/// Going on with observations of a process before (RFC 7641): what it had registered for at servers and devices another process takes over
/// with its token, without a message to anybody.
/// </summary>
public static class CoapAdoptions
{
    /// <summary>
    /// Goes on with an observation as if this endpoint had registered itself: takes its notifications, in their order
    /// (RFC 7641 section 3.4), registers again when Max-Age is over without one, and cancels with its token. Sends nothing when
    /// <see cref="CoapKeptObservation.Heard"/> says what was heard last; otherwise it registers, with the same token. To be called after
    /// the start, when the sessions of peers are there. Where this endpoint observes the resource already, that observation is joined.
    /// </summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="kept">The observation.</param>
    /// <param name="options">How it works from now on; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for a registration that has to be made, and cancels it.</param>
    /// <returns>
    /// The observation. <see cref="CoapObservation.Latest"/> is null until the next notification comes. Where it had to register, it comes
    /// as from <see cref="ICoapObserver.ObserveAsync"/>.
    /// </returns>
    /// <exception cref="ArgumentException">The peer is one of another endpoint, or what is kept names no address, or a connection or
    /// security context with which registrations end.</exception>
    /// <exception cref="CoapTokenInUseException">The token is already that of another request to the same peer.</exception>
    /// <exception cref="CoapException">There are too many observations, the endpoint was stopped, or has no transport for the scheme.
    /// </exception>
    public static Task<CoapObservation> AdoptAsync(this CoapEndpoint endpoint, CoapKeptObservation kept, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(kept);
        return endpoint.Core.Adoption.AdoptAsync(kept, options, cancellationToken);
    }

    /// <summary>
    /// Goes on with an observation of a resource of a peer, at the endpoint of the peer; see
    /// <see cref="AdoptAsync(CoapEndpoint, CoapKeptObservation, CoapObserveOptions, CancellationToken)"/>.
    /// </summary>
    /// <param name="kept">The observation, with <see cref="CoapKeptObservation.Peer"/>.</param>
    /// <param name="options">How it works from now on; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for a registration that has to be made, and cancels it.</param>
    /// <returns>The observation.</returns>
    /// <exception cref="ArgumentException">It is of an address and not of a peer, or a registration at the peer ends with its connection.
    /// </exception>
    /// <exception cref="CoapTokenInUseException">The token is already that of another request to the same peer.</exception>
    /// <exception cref="CoapException">There are too many observations, or the endpoint was stopped.</exception>
    public static Task<CoapObservation> AdoptAsync(this CoapKeptObservation kept, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(kept);
        CoapPeer peer = kept.Peer
            ?? throw new ArgumentException("It is of an address. Say which endpoint goes on with it: endpoint.AdoptAsync(kept).",
                nameof(kept));
        return peer.Endpoint.Adoption.AdoptAsync(kept, options, cancellationToken);
    }

    /// <summary>
    /// Holds notifications that nobody waits for, while observations are being adopted: without it each would be answered with a Reset,
    /// which ends the registration (RFC 7641 section 3.6). Of each token the newest is held, at most 1,024 in each shard; when there are
    /// more, one of the source with most is let go as if it had not come, so that its copy is taken when it comes. What is adopted
    /// meanwhile hears what was held for it.
    /// </summary>
    /// <param name="endpoint">The endpoint. It may be called before the start.</param>
    /// <param name="longest">For how long at most; above 0, and at most 90 s, for which peers repeat Confirmable messages.</param>
    /// <returns>To be disposed when all are adopted: what is left is answered then as ever. Several may overlap.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of its range.</exception>
    public static IDisposable HoldNotifications(this CoapEndpoint endpoint, TimeSpan longest)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(longest, TimeSpan.FromSeconds(90));
        return endpoint.Core.Adoption.Hold(longest);
    }
}
