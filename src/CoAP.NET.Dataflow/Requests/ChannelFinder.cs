using System.Net;
using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Transports;

namespace CoAP.NET.Requests;

/// <summary>Finds the channels of peers that this end talks to on its own account. Thread-safe; no lock may be held when it is
/// called.</summary>
/// <param name="environment">For the clock.</param>
/// <param name="pipelines">One for each shard.</param>
/// <param name="context">Says in which shard a peer is.</param>
/// <param name="hash">Hashes addresses.</param>
/// <param name="pool">The connections that this end opened.</param>
internal sealed class ChannelFinder(
    CoapEnvironment environment, CoapPipeline[] pipelines, EndpointContext context, CoapAddressHash hash, ConnectionPool pool)
{
    /// <summary>The route to a host on a reliable transport.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="uri">The target.</param>
    /// <param name="addresses">The addresses of its host.</param>
    /// <param name="local">The address to leave from; null for what the system chooses.</param>
    public static ConnectionRoute RouteTo(CoapConnectionTransport transport, CoapUri uri, IPAddress[] addresses, IPAddress? local = null) =>
        new(transport, Array.ConvertAll(addresses, address => HostLookup.AddressOf(uri, address)),
            uri.HostAddress is null ? uri.Host : null, local);

    /// <summary>The channel to an address on a transport without connections; made when the peer is not known.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="remote">The address.</param>
    /// <param name="local">The address to leave from; null for what the system chooses.</param>
    /// <exception cref="CoapException">Nothing can be sent from <paramref name="local"/>.</exception>
    public CoapChannel ChannelTo(CoapTransport transport, CoapAddress remote, IPAddress? local = null)
    {
        CoapPipeline pipeline = pipelines[context.ShardOf(remote)];
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
                pipeline.Shard.Exit();
            }
        }

        if (channel.AsksForParameters)
        {
            channel.AskForParameters();
        }

        return channel;
    }

    /// <summary>
    /// The channel of a peer of plain <c>coap</c> that a process before knew, as if a datagram of it had come: when one comes, it is found
    /// by it. It is no newcomer.
    /// </summary>
    /// <param name="listening">What the endpoint listens with.</param>
    /// <param name="remote">The address of the peer.</param>
    /// <param name="local">Our address.</param>
    /// <returns>The channel; null when nothing listens at our address, or it is none of this machine.</returns>
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

    /// <summary>The channel that stands for a route; one without a connection where there is none, for those steps that come before one
    /// is needed.</summary>
    /// <param name="route">The route.</param>
    public CoapChannel ChannelOf(ConnectionRoute route)
    {
        CoapAddress remote = route.Addresses[0];
        return pool.Find(route)
            ?? new CoapChannel(pipelines[context.ShardOf(remote)].Shard, route.Transport, 0, remote, default,
                CoapTransmissionParameters.Default);
    }

    /// <summary>The peer that a request of ours is sent to: the one behind a channel, where the request is protected.</summary>
    /// <param name="target">The target; null for none.</param>
    /// <param name="channel">The channel.</param>
    /// <param name="message">The request, which may name a server behind the target.</param>
    public CoapChannel ProtectedFor(CoapUri? target, CoapChannel channel, CoapMessage message) =>
        channel.Carried is null
        && pipelines[channel.Shard.Index].Protection is { } protection
        && protection.Find(ProxiedTarget.Of(target, message), channel) is { } context
            ? channel.Protected(context)
            : channel;

    /// <summary>The channel by which a peer is known now; the given one when there is none.</summary>
    /// <param name="channel">The channel by which it was known.</param>
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
        CoapPipeline pipeline = pipelines[context.ShardOf(remote)];
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
            pipeline.Shard.Exit();
        }

        if (channel.AsksForParameters)
        {
            channel.AskForParameters();
        }

        return channel;
    }

    // A peer at one address of ours is one peer, whether it was the user or the operating system that chose the address.
    private static CoapChannel ChannelFrom(CoapPipeline pipeline, CoapTransport transport, CoapAddress remote, IPAddress? wanted,
        ulong hash, long now)
    {
        LocalEnd? end = null;
        if (wanted is not null)
        {
            if (!transport.TryFindLocal(wanted, out CoapAddress local, out int tag))
            {
                throw new CoapException(
                    $"Nothing can be sent from LocalAddress {wanted}: this endpoint is bound "
                        + $"to {string.Join(", ", transport.LocalAddresses)} only. Listen on that address or on a wildcard, or leave it "
                        + "out.");
            }

            end = new LocalEnd(local, tag);
        }

        LocalEnd? routed = null;
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
                pipeline.Shard.Exit();
            }

            // Asks the operating system, so not under the lock, and only when the channel is not there yet.
            if (wanted is not null && !transport.IsOurs(wanted))
            {
                throw new CoapException(
                    $"Nothing can be sent from LocalAddress {wanted}: it is no address of this machine. Choose one that is, or leave it "
                        + "out.");
            }

            routed = transport.SourceTo(remote) is { } source && transport.TryFindLocal(source, out CoapAddress from, out int by)
                ? new LocalEnd(from, by)
                : null;
        }
    }
}
