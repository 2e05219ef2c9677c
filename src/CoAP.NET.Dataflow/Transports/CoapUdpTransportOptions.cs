using System.Net;

namespace CoAP.NET;

/// <summary>Configures the addresses and receiving of a <see cref="CoapUdpTransport"/>.</summary>
/// <remarks>
/// Read-only once a transport uses them. <see cref="CoapLimits"/> has the receive buffer and the size of
/// datagrams.
/// </remarks>
[HasSettings]
public sealed partial class CoapUdpTransportOptions
{
    /// <summary>The addresses to bind; port 0 takes any free port. Default empty: any address, any free port, as clients do.</summary>
    public IList<IPEndPoint> Endpoints { get; private set; } = new SettingList<IPEndPoint>();

    /// <summary>Whether <c>[::]</c> serves IPv4 too. Default true. Other addresses are not affected.</summary>
    /// <remarks>
    /// By one socket, or by two with one port where the system does not report to which IPv4 address a datagram was sent, as on Apple
    /// systems.
    /// </remarks>
    internal bool DualMode { get; set; } = true;

    /// <summary>The engine that talks to the operating system. Default <see cref="CoapSocketEngine.Auto"/>.</summary>
    public partial CoapSocketEngine Engine { get; set; }

    /// <summary>
    /// Whether other programs may bind the same ports, if they request it too (SO_REUSEADDR; also SO_REUSEPORT on Linux). Default false.
    /// </summary>
    /// <remarks>
    /// By default a used port is an error at the start. Datagrams to a group reach every program that joined it. The operating system
    /// decides which program gets a datagram to a single address, and each program that starts may change that. Share a port only to listen
    /// to groups, or to hand over to another process. Any program of this account may then take the port; on some systems any program at
    /// all. Not for port 0, and not for TCP.
    /// </remarks>
    public partial bool SharePort { get; set; }

    /// <summary>Whether the transport serves many peers and gets its own loops, one per shard. Default false.</summary>
    /// <remarks>
    /// Otherwise it shares one loop with the other clients of the process, so an idle client owns no thread. Only for
    /// <see cref="CoapSocketEngine.LinuxLoop"/>.
    /// </remarks>
    public partial bool IsServer { get; set; }

    /// <summary>How long user code may delay other datagrams before a stand-by thread continues receiving. Default 4 ms.</summary>
    /// <remarks>Checked every 2 ms. <see cref="Timeout.InfiniteTimeSpan"/>: never, so a blocked handler stops its loop.</remarks>
    [TimeRange(Seconds.Millisecond, Seconds.Minute, OrInfinite = true)]
    public partial TimeSpan HandOverAfter { get; set; } = UserCodePolicy.HandOverAfter;

    /// <summary>
    /// The groups to join on the sockets that are bound to any address (RFC 7252 section 8), such as 224.0.1.187 and ff02::fd. Default
    /// none.
    /// </summary>
    /// <remarks>
    /// An IPv6 group with a scope id is joined on that interface only; other groups on <see cref="MulticastInterfaces"/>. The start fails
    /// when no group can be joined on any interface.
    /// </remarks>
    internal IList<IPAddress> MulticastGroups { get; private set; } = new SettingList<IPAddress>();

    /// <summary>
    /// The interfaces for joining groups, by name such as <c>eth0</c>, or by index. Default empty: all suitable interfaces that are up.
    /// </summary>
    internal IList<string> MulticastInterfaces { get; private set; } = new SettingList<string>();

    /// <summary>Creates a copy that shares no list with this one.</summary>
    /// <remarks>A transport that wraps UDP sockets keeps a copy and changes it as needed.</remarks>
    /// <returns>The copy.</returns>
    public CoapUdpTransportOptions Clone()
    {
        CoapUdpTransportOptions copy = CopyMembers();
        copy.Endpoints = new SettingList<IPEndPoint>(Endpoints);
        copy.MulticastGroups = new SettingList<IPAddress>(MulticastGroups);
        copy.MulticastInterfaces = new SettingList<string>(MulticastInterfaces);
        return copy;
    }
}
