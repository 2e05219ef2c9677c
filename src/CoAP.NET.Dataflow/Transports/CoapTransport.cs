using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// Carries messages between sockets and the mesh. It offers what it receives to <see cref="ICoapTransportContext.Receive"/> and sends what
/// <see cref="Send"/> gets. A transport of your own derives from one of its three kinds: <see cref="CoapDatagramTransport"/> for what loses
/// and reorders (UDP, SMS, a radio), <see cref="CoapStreamTransport"/> for reliable connections, <see cref="CoapSessionTransport"/> for
/// security sessions over datagrams. Each of them is given its own context at the start.
/// </summary>
public abstract class CoapTransport : IAsyncDisposable
{
    private protected CoapTransport()
    {
    }

    /// <summary>The URI scheme, such as <c>coap</c>.</summary>
    public abstract string Scheme { get; }

    /// <summary>
    /// Whether the transport delivers reliably and in order, so that RFC 8323 framing applies instead of RFC 7252 section 4.
    /// </summary>
    public virtual bool IsReliable => false;

    /// <summary>Whether the transport is protected by DTLS or TLS.</summary>
    public virtual bool IsSecure => false;

    /// <summary>
    /// Whether the transport drives the clocks of the shards from its own loop, by <see cref="ICoapTransportContext.Tick"/>.
    /// </summary>
    public virtual bool DrivesClock => false;

    /// <summary>The addresses it is bound to; empty before the start. The port is the real one, also where 0 was asked for.</summary>
    public abstract IReadOnlyList<CoapAddress> LocalAddresses { get; }

    /// <summary>Says how something can leave from one of this host's addresses, as <see cref="CoapRequest.LocalAddress"/> asks.</summary>
    /// <param name="address">The address it is to leave from.</param>
    /// <param name="local">The address as received datagrams have it as their <see cref="CoapDatagram.Local"/>, with the port.</param>
    /// <param name="tag">The <see cref="CoapDatagram.TransportTag"/> that goes with it.</param>
    /// <returns>Whether that is possible. By default: whether the transport is bound to the address, or to any; the tag is the place in
    /// <see cref="LocalAddresses"/>.</returns>
    public virtual bool TryFindLocal(IPAddress address, out CoapAddress local, out int tag)
    {
        ArgumentNullException.ThrowIfNull(address);
        IReadOnlyList<CoapAddress> bound = LocalAddresses;
        for (tag = 0; tag < bound.Count; tag++)
        {
            local = CoapAddress.Of(address, bound[tag].Port);
            if (IsBoundTo(bound[tag], local))
            {
                return true;
            }
        }

        (local, tag) = (default, 0);
        return false;
    }

    private protected static bool IsBoundTo(in CoapAddress bound, in CoapAddress local) =>
        local == bound || (bound.IsAny && bound.IsIPv4 == local.IsIPv4);

    /// <summary>
    /// The address of this host that datagrams to a peer leave from when nothing else was asked for. The endpoint asks on hosts with
    /// several addresses, so that all messages to a peer come from one of them. Thread-safe.
    /// </summary>
    /// <param name="remote">The peer's address.</param>
    /// <returns>The address; null when it is not known. By default null: the transport chooses when it sends.</returns>
    public virtual IPAddress? SourceTo(CoapAddress remote) => null;

    /// <summary>
    /// Whether what it receives runs on threads from which a stand-by takes the work when user code blocks. Then what users do after a
    /// response may run on them too; otherwise it runs elsewhere, so that it holds up nothing. Never changes once the transport is started.
    /// Default false.
    /// </summary>
    public virtual bool HandsOver => false;

    /// <summary>
    /// Whether an address is one of this host's now. The endpoint asks when a request wants to leave from it, and when a datagram could
    /// not: an address that is away for a while may come back, and the peer is not given up for that. Thread-safe.
    /// </summary>
    /// <param name="address">The address.</param>
    /// <returns>Whether it is, as far as that can be told. By default true.</returns>
    public virtual bool IsOurs(IPAddress address) => true;

    /// <summary>
    /// Sends a message and takes it over: it is disposed when it has left. Never throws. Called by several threads at a time.
    /// </summary>
    /// <param name="datagram">The datagram.</param>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>
    /// Has a thread of the transport call <see cref="ICoapTransportContext.Tick"/> soon, because something is due earlier than it knew.
    /// Only when <see cref="DrivesClock"/>.
    /// </summary>
    public virtual void Wake()
    {
    }

    /// <summary>Stops receiving, sends what is still batched and closes the sockets.</summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public abstract ValueTask DisposeAsync();
}
