using System.Net;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Connecting;

namespace CoAP.NET.Composition;

/// <summary>Finds the channels of peers for requests of this endpoint. Thread-safe; the caller must hold no lock.</summary>
/// <param name="environment">Provides the clock.</param>
/// <param name="pipelines">The pipelines, one for each shard.</param>
/// <param name="context">Maps a peer to its shard.</param>
/// <param name="hash">Hashes addresses.</param>
/// <param name="pool">The connections that this end opened.</param>
internal sealed class ChannelFinder(
    CoapEnvironment environment, CoapShardPipeline[] pipelines, EndpointTransportContext context, CoapAddressHash hash, ConnectionPool pool)
{
    /// <summary>Returns the route to a host on a reliable transport.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="uri">The target.</param>
    /// <param name="addresses">The addresses of its host.</param>
    /// <param name="local">The local address; null to let the system choose.</param>
    public static ConnectionRoute RouteTo(CoapConnectionTransport transport, CoapUri uri, IPAddress[] addresses, IPAddress? local = null) =>
        new(transport, Array.ConvertAll(addresses, address => HostLookup.AddressOf(uri, address)),
            uri.HostAddress is null ? uri.Host : null, local);

    /// <summary>Returns the channel to an address on a transport without connections; creates it for an unknown peer.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="remote">The address.</param>
    /// <param name="local">The local address; null to let the system choose.</param>
    /// <exception cref="CoapException">The transport cannot send from <paramref name="local"/>.</exception>
    public CoapChannel ChannelTo(CoapTransport transport, CoapAddress remote, IPAddress? local = null)
    {
        CoapShardPipeline pipeline = pipelines[context.ShardOf(remote)];
        ulong address = hash.Of(remote);
        long now = environment.Now;
        CoapChannel? channel;
        if (local is not null || pipeline.Channels.HasPinned)
        {
            channel = ChannelFrom(pipeline, transport, remote, local, address, now);
        }
        else if ((channel = pipeline.Channels.TryGetForOutbound(transport, remote, address)) is null)
        {
            pipeline.Shard.Enter();
            try
            {
                channel = pipeline.Channels.GetForOutbound(transport, remote, address, now);
            }
            finally
            {
                pipeline.Shard.ExitAndSend();
            }
        }

        if (channel.AsksForParameters)
        {
            channel.AskForParameters();
        }

        return channel;
    }

    /// <summary>
    /// Returns the channel of a peer of plain <c>coap</c> that an earlier process knew, as if it had just sent a datagram. Its next
    /// datagram will find this channel. The peer is not a newcomer.
    /// </summary>
    /// <returns>The channel; null if nothing listens at our address, or if the address does not belong to this machine.</returns>
    public CoapChannel? FindKnown(IEnumerable<CoapTransport> listening, CoapAddress remote, CoapAddress local)
    {
        IPAddress address = local.ToIPAddress();
        foreach (CoapTransport transport in listening)
        {
            if (transport is CoapDatagramTransport { Scheme: "coap" } && transport.TryFindLocal(address, out CoapAddress found, out int tag)
                && found == local && (local.IsAny || transport.IsOurs(address)))
            {
                return ChannelOfKnown(transport, tag, remote, local);
            }
        }

        return null;
    }

    /// <summary>
    /// Returns the channel of a route; a channel without a connection if there is none, for the steps before one is needed.
    /// </summary>
    public CoapChannel ChannelOf(ConnectionRoute route)
    {
        CoapAddress remote = route.Addresses[0];
        return pool.Find(route)
            ?? new CoapChannel(pipelines[context.ShardOf(remote)].Shard, route.Transport, 0, remote, default,
                CoapTransmissionParameters.Default);
    }

    /// <summary>Returns the current channel of a peer; the given one if there is no other.</summary>
    public CoapChannel Current(CoapChannel channel)
    {
        if (channel.Carried is { } carried)
        {
            return Current(carried.Carrier).Protected(carried.Context);
        }

        if (channel.IsConnection)
        {
            return pool.SuccessorOf(channel) ?? channel;
        }

        lock (channel.Shard.Gate)
        {
            return pipelines[channel.Shard.Index].Channels.Current(channel) ?? channel;
        }
    }

    private CoapChannel ChannelOfKnown(CoapTransport transport, int tag, CoapAddress remote, CoapAddress local)
    {
        CoapShardPipeline pipeline = pipelines[context.ShardOf(remote)];
        ulong address = hash.Of(remote);
        long now = environment.Now;
        using CoapDatagram datagram = new(0) { Transport = transport, TransportTag = tag, Remote = remote, Local = local };
        CoapChannel channel;
        pipeline.Shard.Enter();
        try
        {
            channel = pipeline.Channels.GetForInbound(datagram, address, now);
            _ = pipeline.Channels.GetForOutbound(transport, remote, address, now);
        }
        finally
        {
            pipeline.Shard.ExitAndSend();
        }

        if (channel.AsksForParameters)
        {
            channel.AskForParameters();
        }

        return channel;
    }

    // A peer at one local address is one peer, whether the user or the operating system chose the address.
    private static CoapChannel ChannelFrom(CoapShardPipeline pipeline, CoapTransport transport, CoapAddress remote, IPAddress? wanted,
        ulong hash, long now)
    {
        LocalSocketAddress? end = null;
        if (wanted is not null)
        {
            if (!transport.TryFindLocal(wanted, out CoapAddress local, out int tag))
            {
                throw new CoapException(
                    $"The endpoint cannot send from LocalAddress {wanted}: it is bound "
                        + $"to {string.Join(", ", transport.LocalAddresses)} only. Listen on that address or on a wildcard, or leave it "
                        + "out.");
            }

            end = new LocalSocketAddress(local, tag);
        }

        LocalSocketAddress? routed = null;
        for (bool isFirst = true; ; isFirst = false)
        {
            pipeline.Shard.Enter();
            try
            {
                if (pipeline.Channels.TryGetForOutbound(transport, remote, end, routed, isFirst, hash, now, out CoapChannel? channel))
                {
                    return channel;
                }
            }
            finally
            {
                pipeline.Shard.ExitAndSend();
            }

            // Asks the operating system, so not under the lock, and only if the channel does not exist yet.
            if (wanted is not null && !transport.IsOurs(wanted))
            {
                throw new CoapException(
                    $"The endpoint cannot send from LocalAddress {wanted}: this machine does not have the address. Choose one that it "
                        + "has, or leave it out.");
            }

            routed = transport.SourceTo(remote) is { } source && transport.TryFindLocal(source, out CoapAddress from, out int by)
                ? new LocalSocketAddress(from, by)
                : null;
        }
    }
}
