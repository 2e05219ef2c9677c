namespace CoAP.NET;

/// <summary>
/// Takes over observations that an earlier process registered (RFC 7641): this process uses their tokens and sends no message to the
/// servers and devices.
/// </summary>
public static class CoapAdoptions
{
    /// <summary>Takes over an observation as if this endpoint had registered it.</summary>
    /// <remarks>
    /// The endpoint takes its notifications in their order (RFC 7641 section 3.4), registers again when Max-Age expires without one, and
    /// cancels with its token. It sends nothing if <see cref="CoapKeptObservation.Heard"/> contains the last notification; otherwise it
    /// registers with the same token. Call this after the start, when the sessions of the peers exist. If this endpoint already observes
    /// the resource, it joins that observation.
    /// </remarks>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="kept">The observation.</param>
    /// <param name="options">Options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for a registration that has to be sent, and cancels it.</param>
    /// <returns>
    /// The observation. <see cref="CoapObservation.Latest"/> is null until the next notification arrives. If the endpoint had to register,
    /// it is the response, as in <see cref="ICoapObserver.ObserveAsync"/>.
    /// </returns>
    /// <exception cref="ArgumentException">The peer belongs to another endpoint, or the kept observation has no address, or it names a
    /// connection or security context that ends with its registrations.</exception>
    /// <exception cref="CoapTokenInUseException">Another request to the same peer uses the token.</exception>
    /// <exception cref="CoapException">There are too many observations, the endpoint was stopped, or has no transport for the
    /// scheme.</exception>
    public static Task<CoapObservation> AdoptAsync(this CoapEndpoint endpoint, CoapKeptObservation kept, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(kept);
        return endpoint.Core.Adoption.AdoptAsync(kept, options, cancellationToken);
    }

    /// <summary>
    /// Takes over an observation of a resource of a peer, on the endpoint of the peer; see
    /// <see cref="AdoptAsync(CoapEndpoint, CoapKeptObservation, CoapObserveOptions, CancellationToken)"/>.
    /// </summary>
    /// <param name="kept">The observation, with <see cref="CoapKeptObservation.Peer"/>.</param>
    /// <param name="options">Options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for a registration that has to be sent, and cancels it.</param>
    /// <returns>The observation.</returns>
    /// <exception cref="ArgumentException">The observation names an address instead of a peer, or a registration with the peer ends with
    /// its connection.</exception>
    /// <exception cref="CoapTokenInUseException">Another request to the same peer uses the token.</exception>
    /// <exception cref="CoapException">There are too many observations, or the endpoint was stopped.</exception>
    public static Task<CoapObservation> AdoptAsync(this CoapKeptObservation kept, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(kept);
        CoapPeer peer = kept.Peer
            ?? throw new ArgumentException("The observation names an address and no peer. Call endpoint.AdoptAsync(kept) on the "
                + "endpoint that takes it over.",
                nameof(kept));
        return peer.AdoptAsync(kept, options, cancellationToken);
    }

    /// <summary>Holds notifications with unknown tokens while observations are being adopted.</summary>
    /// <remarks>
    /// Without it, the endpoint would answer each of them with a Reset, which ends the registration (RFC 7641 section 3.6). It holds the
    /// newest notification of each token, at most 1,024 in each shard. When there are more, it discards one of the source with the most, as
    /// if it had not arrived, and accepts its next copy. An adopted observation receives what was held for it.
    /// </remarks>
    /// <param name="endpoint">The endpoint; it need not be started.</param>
    /// <param name="longest">The longest time to hold; above 0, and at most 90 s, for which peers repeat Confirmable messages.</param>
    /// <returns>A handle to dispose when all observations are adopted: the endpoint then answers the rest as usual. Several may
    /// overlap.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public static IDisposable HoldNotifications(this CoapEndpoint endpoint, TimeSpan longest)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(longest, TimeSpan.FromSeconds(90));
        return endpoint.Core.Adoption.Hold(longest);
    }
}
