using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Observing.Server;
using CoAP.NET.Signalling;

namespace CoAP.NET.Endpoints;

/// <summary>Reads the data of a snapshot. It takes a shard's lock for one peer at a time, so that no thread waits long.</summary>
internal sealed class DiagnosticSnapshotCollector(
    CoapShardPipeline[] pipelines, ConnectionTable connections, CoapEnvironment environment, IPAddress? address,
    int maxPeers)
{
    private const int MaxPending = 16;

    private readonly CoapAddress? _filter = address is null ? null : CoapAddress.FromIPEndPoint(new IPEndPoint(address, 0));

    public List<CoapShardSnapshot> ReadShards() =>
    [
        .. pipelines.Select(static pipeline => new CoapShardSnapshot(
            pipeline.Shard.Index, pipeline.Channels.Count, pipeline.Messages.Outstanding, pipeline.Messages.Waiting,
                pipeline.Blockwise.Requests.Count,
            CountObservers(pipeline))),
    ];

    public List<CoapPeerSnapshot> ReadPeers(out bool isTruncated)
    {
        // A caller that polls the state every second need not visit all peers.
        if (maxPeers == 0 && address is null)
        {
            isTruncated = connections.Count > 0 || pipelines.Any(static pipeline => pipeline.Channels.Count > 0);
            return [];
        }

        int found = 0;
        List<CoapChannel> channels = [];
        foreach (CoapShardPipeline pipeline in pipelines)
        {
            channels.AddRange(pipeline.Channels.Latest(maxPeers, Fits, out int here));
            found += here;
        }

        CoapChannel[] connected = [.. connections.All().Where(Fits)];
        found += connected.Length;
        channels.AddRange(connected);
        isTruncated = found > maxPeers;
        return [.. channels.OrderByDescending(StreamState.LastHeardOf).Take(maxPeers).Select(Read)];
    }

    private static int CountObservers(CoapShardPipeline pipeline)
    {
        lock (pipeline.Shard.Gate)
        {
            return pipeline.Observers.Count;
        }
    }

    // Whom we chose ourselves has the time of that until something comes.
    private static bool WasHeard(CoapChannel channel) =>
        channel.IsConnection || channel.IsNewcomer || channel.LastSeen != channel.Links.FirstSeen
            || channel.Messaging.LastHeard != long.MinValue;

    private bool Fits(CoapChannel channel) =>
        !channel.IsGroup && (_filter is not { } filter || (channel.Remote.High == filter.High && channel.Remote.Low == filter.Low));

    private CoapPeerSnapshot Read(CoapChannel channel)
    {
        CoapShardPipeline pipeline = pipelines[channel.Shard.Index];
        DateTimeOffset utcNow = environment.TimeProvider.GetUtcNow();
        lock (channel.Shard.Gate)
        {
            long now = environment.Now;
            PeerExchanges? exchanges = PeerExchanges.Of(channel);
            LastDrop? drop = LastDrop.Of(channel);
            return new CoapPeerSnapshot
            {
                Shard = channel.Shard.Index,
                Scheme = channel.Transport.Scheme,
                RemoteEndPoint = channel.Remote.ToIPEndPoint(),
                LocalEndPoint = channel.Local.ToIPEndPoint(),
                Identity = channel.Identity,
                HasIdentity = channel.Identity is { IsKnown: true },
                IsVerified = channel.IsVerified,
                IsNewcomer = channel.IsNewcomer,
                LastSeen = WasHeard(channel) ? utcNow - TimeSpan.FromTicks(Math.Max(0, now - StreamState.LastHeardOf(channel))) : null,
                RunningRequests = channel.Connection?.Requests?.Count ?? MessageLayer.RunningOf(channel),
                Outstanding = MessageLayer.OutstandingTo(channel),
                Queued = MessageLayer.WaitingFor(channel),
                AwaitedResponses = exchanges?.Pending.Count ?? 0,
                Pending = ReadPending(channel, exchanges, now),
                Observers = PeerObservers.Of(channel)?.Count ?? 0,
                Observations = exchanges?.ObservationCount ?? 0,
                Transfers = pipeline.Blockwise.Requests.CountOf(channel),
                RoundTripTime = MessageLayer.RttOf(channel),
                RetransmissionTimeout = MessageLayer.TimeoutOf(channel, now),
                LastDrop = drop is null
                    ? null
                    : new CoapPeerLastDropSnapshot(
                        drop.Reason.ToString(), utcNow - TimeSpan.FromTicks(Math.Max(0, now - drop.At)), drop.Count),
            };
        }
    }

    private static List<CoapPendingMessageSnapshot> ReadPending(CoapChannel channel, PeerExchanges? exchanges, long now)
    {
        List<CoapPendingMessageSnapshot> pending = [];
        foreach (CoapTransmission transmission in OutstandingMessages.UnsettledTo(channel, MaxPending))
        {
            CoapMessage message = transmission.Message;
            bool isOutstanding = transmission.IsOutstanding;
            pending.Add(new CoapPendingMessageSnapshot(
                isOutstanding ? CoapPendingState.Outstanding : CoapPendingState.Queued,
                message.Code,
                message.Token,
                isOutstanding ? message.MessageId : null,
                transmission.Attempts,
                isOutstanding && message.Type == CoapMessageType.Confirmable
                    ? TimeSpan.FromTicks(Math.Max(0, transmission.Due - now))
                    : null));
        }

        foreach (ClientRequest request in exchanges?.Pending.Values ?? Enumerable.Empty<ClientRequest>())
        {
            if (pending.Count == MaxPending)
            {
                break;
            }

            CoapTransmission transmission = request.Transmission;
            if (!transmission.IsOutstanding && !transmission.IsQueued)
            {
                pending.Add(new CoapPendingMessageSnapshot(
                    CoapPendingState.AwaitingResponse, request.Message.Code, request.Message.Token,
                    channel.IsReliable ? null : request.Message.MessageId, transmission.Attempts, null));
            }
        }

        return pending;
    }
}
