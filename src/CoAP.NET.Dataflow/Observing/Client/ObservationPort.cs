using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Pipeline;
using CoAP.NET.Requests;

namespace CoAP.NET.Observing;

/// <summary>What observations need of their endpoint. It takes the locks of shards itself, so none may be held.</summary>
internal sealed class ObservationPort(CoapEndpoint endpoint) : IStandingPort
{
    /// <summary>Whether there is a cache to store notifications in.</summary>
    public bool HasCache => endpoint.HasCache;

    /// <summary>Whether two channels lead to the same peer: by the same connection, or on datagrams to the same address.</summary>
    public static bool IsSamePeer(CoapChannel left, CoapChannel right) =>
        ReferenceEquals(left, right) || (!left.IsConnection && left.Remote == right.Remote && left.Transport == right.Transport);

    /// <summary>Whether a connection to a peer may be opened again after it has ended: it was opened for requests of ours.</summary>
    public static bool MayConnect(CoapChannel channel) => ConnectionPool.RouteTo(channel).Only is null;

    /// <summary>The peers that a target may be found at now, at least one. Names are resolved anew each time.</summary>
    /// <param name="target">The target.</param>
    /// <param name="cancellationToken">Stops it, as nobody observes any more.</param>
    /// <returns>The channels; the one that is connected where it takes a connection (RFC 8323).</returns>
    /// <exception cref="CoapException">There is none.</exception>
    public ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, CancellationToken cancellationToken) => endpoint.FindAsync(target, cancellationToken);

    /// <inheritdoc/>
    public StandingRequest Open(CoapChannel channel, IStandingOwner owner) => endpoint.OpenStanding(channel, owner);

    /// <inheritdoc/>
    public void Close(StandingRequest request) => PipelineOf(request.Channel).Sender.Close(request);

    /// <inheritdoc/>
    public CoapException? Send(CoapTransmission transmission)
    {
        RequestSender.LeaveOutToldHost(transmission.Message, transmission.Channel);
        return PipelineOf(transmission.Channel).Sender.Send(transmission);
    }

    /// <inheritdoc/>
    public void Stop(CoapTransmission transmission) => PipelineOf(transmission.Channel).ExchangesOut.Cancel(transmission);

    /// <summary>Stores what a registration brought, the newest of it, in the cache.</summary>
    /// <param name="registration">The registration.</param>
    /// <param name="response">The response, with its whole body.</param>
    public void Store(OutgoingRequest registration, CoapResponse response) => endpoint.StoreObserved(registration, response);

    /// <summary>Gets the whole representation of which a notification brought the first block (RFC 7959 section 2.6), or none at all.</summary>
    /// <param name="first">The notification; null when there is nothing to go on from.</param>
    /// <param name="request">The request for it: that of the registration without Observe.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with the whole representation.</returns>
    public Task<CoapResponse> CompleteAsync(CoapResponse? first, OutgoingRequest request, CancellationToken cancellationToken) =>
        endpoint.CompleteBodyAsync(first, request, cancellationToken);

    private CoapPipeline PipelineOf(CoapChannel channel) => endpoint.Pipelines[channel.Shard.Index];
}
