using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;

namespace CoAP.NET.Requesting;

/// <summary>What observations need of their endpoint. No lock may be held when it is called.</summary>
internal interface IObservationPort : IStandingPort
{
    /// <summary>The peers that a target may be found at now, at least one. Names are resolved anew each time.</summary>
    /// <param name="target">The target.</param>
    /// <param name="cancellationToken">Stops it, as nobody observes any more.</param>
    /// <returns>The channels; the one that is connected where it takes a connection (RFC 8323).</returns>
    /// <exception cref="CoapException">There is none.</exception>
    ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, CancellationToken cancellationToken);

    /// <summary>Whether two channels lead to the same peer: by the same connection, or on datagrams to the same address.</summary>
    bool IsSamePeer(CoapChannel left, CoapChannel right);

    /// <summary>Whether a connection to a peer may be opened again after it has ended: it was opened for requests of ours.</summary>
    bool MayConnect(CoapChannel channel);

    /// <summary>Whether there is a cache to store notifications in.</summary>
    bool HasCache { get; }

    /// <summary>Stores what a registration brought, the newest of it, in the cache.</summary>
    /// <param name="registration">The registration.</param>
    /// <param name="response">The response, with its whole body.</param>
    void Store(OutgoingRequest registration, CoapResponse response);

    /// <summary>Gets the whole representation of which a notification brought the first block (RFC 7959 section 2.6), or none at all.</summary>
    /// <param name="first">The notification; null when there is nothing to go on from.</param>
    /// <param name="request">The request for it: that of the registration without Observe.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with the whole representation.</returns>
    Task<CoapResponse> CompleteAsync(CoapResponse? first, OutgoingRequest request, CancellationToken cancellationToken);
}
