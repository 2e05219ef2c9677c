using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Requesting;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>What observations need of their endpoint, given by the endpoint.</summary>
/// <param name="endpoint">The endpoint.</param>
internal sealed class ObservationPort(CoapEndpoint endpoint) : IObservationPort
{
    public ValueTask<IReadOnlyList<CoapChannel>> FindAsync(ObservationTarget target, CancellationToken cancellationToken) => endpoint.FindAsync(target, cancellationToken);

    public bool IsSamePeer(CoapChannel left, CoapChannel right) =>
        ReferenceEquals(left, right) || (!left.IsConnection && left.Remote == right.Remote && left.Transport == right.Transport);

    public bool MayConnect(CoapChannel channel) => Connecting.ConnectionPool.RouteTo(channel).Only is null;

    public StandingRequest Open(CoapChannel channel, IStandingOwner owner) => endpoint.OpenStanding(channel, owner);

    public void Close(StandingRequest request) => PipelineOf(request.Channel).Exchanges.Close(request);

    public CoapException? Send(CoapTransmission transmission)
    {
        RequestSender.LeaveOutToldHost(transmission.Message, transmission.Channel);
        return PipelineOf(transmission.Channel).ExchangesOut.Send(transmission);
    }

    public void Stop(CoapTransmission transmission) => PipelineOf(transmission.Channel).ExchangesOut.Cancel(transmission);

    public bool HasCache => endpoint.HasCache;

    public void Store(OutgoingRequest registration, CoapResponse response) => endpoint.StoreObserved(registration, response);

    public Task<CoapResponse> CompleteAsync(CoapResponse? first, OutgoingRequest request, CancellationToken cancellationToken) =>
        endpoint.CompleteBodyAsync(first, request, cancellationToken);

    private Pipeline.CoapPipeline PipelineOf(CoapChannel channel) => endpoint.Pipelines[channel.Shard.Index];
}
