using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Pipeline;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Peers that this endpoint talks to on its own account.
public sealed partial class CoapEndpoint
{
    /// <summary>The addresses of a host that can be reached from a local address: those of its IP version.</summary>
    private static IPAddress[] Reachable(IPAddress[] addresses, IPAddress? local, CoapUri uri)
    {
        if (local is null || Array.TrueForAll(addresses, address => address.AddressFamily == local.AddressFamily))
        {
            return addresses;
        }

        IPAddress[] reachable = Array.FindAll(addresses, address => address.AddressFamily == local.AddressFamily);
        return reachable.Length > 0
            ? reachable
            : throw new CoapException($"{uri.Host} has no address that can be reached from LocalAddress {local}: they differ in their IP version. Choose another LocalAddress, or none.");
    }

    internal CoapChannel ChannelTo(CoapTransport transport, CoapAddress remote, IPAddress? local = null)
    {
        CoapPipeline pipeline = _pipelines[_context.ShardOf(remote)];
        ulong hash = _hash.Of(remote);
        long now = _environment.Now;
        CoapChannel channel;
        if (local is not null || pipeline.Channels.HasPinned)
        {
            channel = ChannelFrom(pipeline, transport, remote, local, hash, now);
        }
        else
        {
            pipeline.Shard.Enter();
            try
            {
                channel = pipeline.Channels.GetForOutbound(transport, remote, hash, now);
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

    // A peer at one address of ours is one peer, whether it was the user or the operating system that chose the address.
    private static CoapChannel ChannelFrom(CoapPipeline pipeline, CoapTransport transport, CoapAddress remote, IPAddress? wanted, ulong hash, long now)
    {
        LocalEnd? end = null;
        if (wanted is not null)
        {
            if (!transport.TryFindLocal(wanted, out CoapAddress local, out int tag))
            {
                throw new CoapException(
                    $"Nothing can be sent from LocalAddress {wanted}: this endpoint is bound to {string.Join(", ", transport.LocalAddresses)} only. Listen on that address or on a wildcard, or leave it out.");
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
                throw new CoapException($"Nothing can be sent from LocalAddress {wanted}: it is no address of this machine. Choose one that is, or leave it out.");
            }

            routed = transport.SourceTo(remote) is { } source && transport.TryFindLocal(source, out CoapAddress from, out int by) ? new LocalEnd(from, by) : null;
        }
    }

    /// <summary>The channel by which a peer is known now; the given one when there is none.</summary>
    internal CoapChannel Current(CoapChannel channel)
    {
        if (channel.IsConnection)
        {
            return _pool.SuccessorOf(channel) ?? channel;
        }

        lock (channel.Shard.Gate)
        {
            return _pipelines[channel.Shard.Index].Channels.Current(channel) ?? channel;
        }
    }
}
