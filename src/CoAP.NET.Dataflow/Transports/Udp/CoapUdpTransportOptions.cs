using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// What a <see cref="CoapUdpTransport"/> binds and how it receives. Mutable until the transport is made, which copies it. The receive
/// buffer and the size of datagrams are in <see cref="CoapLimits"/>.
/// </summary>
public sealed class CoapUdpTransportOptions
{
    /// <summary>The addresses to bind; port 0 takes any free port. Default empty: any address, any free port, as clients do.</summary>
    public IList<IPEndPoint> Endpoints { get; private set; } = [];

    /// <summary>Whether <c>[::]</c> serves IPv4 too. Default true. Other addresses are not concerned.</summary>
    public bool DualMode { get; set; } = true;

    /// <summary>How to talk to the operating system. Default <see cref="CoapUdpEngine.Auto"/>.</summary>
    public CoapUdpEngine Engine { get; set; }

    /// <summary>
    /// Whether other programs may bind the same ports, if they say so too (SO_REUSEADDR; also SO_REUSEPORT on Linux). Default false: a port
    /// that is taken is an error at the start. Datagrams to a group come to every program that joined it. Which program gets what is sent
    /// to one address is up to the operating system, and may change with each program that starts: so share a port to listen to groups, or
    /// to hand over to another process, and not for anything else. Any program of this account may then take the port, on some systems any
    /// program at all. Not for port 0, and not for TCP.
    /// </summary>
    public bool SharePort { get; set; }

    /// <summary>
    /// Whether this serves many peers: it gets loops of its own, one for each shard. Otherwise it shares one loop with the other clients of
    /// the process, so that an idle client owns no thread. Default false. Only for <see cref="CoapUdpEngine.LinuxLoop"/>.
    /// </summary>
    public bool IsServer { get; set; }

    /// <summary>
    /// How long user code may hold up other datagrams before a stand-by thread goes on receiving. Default 4 ms; from 1 ms, looked at every
    /// 2 ms. <see cref="Timeout.InfiniteTimeSpan"/>: never, so that a blocked handler stops its loop.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1 ms, or more than a minute.</exception>
    public TimeSpan HandOverAfter { get; set => field = UserCodePolicy.CheckHandOver(value); } = UserCodePolicy.HandOverAfter;

    /// <summary>
    /// The groups to join on the sockets that are bound to any address (RFC 7252 section 8), such as 224.0.1.187 and ff02::fd. Default
    /// none. An IPv6 group with a scope id is joined on that interface only, others on <see cref="MulticastInterfaces"/>. The start fails
    /// when none can be joined on any.
    /// </summary>
    public IList<IPAddress> MulticastGroups { get; private set; } = [];

    /// <summary>
    /// The interfaces to join groups on, by name such as <c>eth0</c>, or by index. Default empty: all that are up and can.
    /// </summary>
    public IList<string> MulticastInterfaces { get; private set; } = [];

    /// <summary>
    /// A copy that shares no list with this one. A transport that stands on UDP sockets keeps one, and changes what it must.
    /// </summary>
    /// <returns>The copy.</returns>
    public CoapUdpTransportOptions Clone()
    {
        CoapUdpTransportOptions copy = (CoapUdpTransportOptions)MemberwiseClone();
        copy.Endpoints = [.. Endpoints];
        copy.MulticastGroups = [.. MulticastGroups];
        copy.MulticastInterfaces = [.. MulticastInterfaces];
        return copy;
    }
}
