using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// Carries datagrams (or the frames of a stream) between sockets and the mesh. The seam for transports of your own: serial lines, SMS, in-memory.
/// A transport offers what it receives to <see cref="CoapTransportContext.Receive"/> and sends what <see cref="Send"/> gets.
/// </summary>
public abstract class CoapTransport : IAsyncDisposable
{
    /// <summary>The URI scheme, such as <c>coap</c>.</summary>
    public abstract string Scheme { get; }

    /// <summary>Whether the transport delivers reliably and in order, so that RFC 8323 framing applies instead of RFC 7252 section 4.</summary>
    public virtual bool IsReliable => false;

    /// <summary>Whether the transport is protected by DTLS or TLS.</summary>
    public virtual bool IsSecure => false;

    /// <summary>Whether the transport drives the clocks of the shards from its own loop, by <see cref="CoapTransportContext.Tick"/>.</summary>
    public virtual bool DrivesClock => false;

    /// <summary>The addresses it is bound to; empty before <see cref="StartAsync"/>. The port is the real one, also where 0 was asked for.</summary>
    public abstract IReadOnlyList<CoapAddress> LocalAddresses { get; }

    /// <summary>Says how something can leave from one of this host's addresses, as <see cref="CoapRequest.LocalAddress"/> asks.</summary>
    /// <param name="address">The address it is to leave from.</param>
    /// <param name="local">The address as received datagrams have it as their <see cref="CoapDatagram.Local"/>, with the port.</param>
    /// <param name="tag">The <see cref="CoapDatagram.TransportTag"/> that goes with it.</param>
    /// <returns>Whether that is possible. By default: whether the transport is bound to the address, or to any; the tag is the place in <see cref="LocalAddresses"/>.</returns>
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

    private protected static bool IsBoundTo(in CoapAddress bound, in CoapAddress local) => local == bound || (bound.IsAny && bound.IsIPv4 == local.IsIPv4);

    /// <summary>The address of this host that the operating system has datagrams to a peer leave from; null when that is not known.</summary>
    internal virtual IPAddress? SourceTo(in CoapAddress remote) => null;

    /// <summary>Whether what it receives runs on threads from which a stand-by takes the work when user code blocks, so that what users do after a response may run there too. Never changes once the transport is started.</summary>
    internal virtual bool HandsOver => false;

    /// <summary>Whether an address is one of this host's, as far as that can be told.</summary>
    internal virtual bool IsOurs(IPAddress address) => true;

    /// <summary>Opens sockets and begins to receive.</summary>
    /// <param name="context">Where received datagrams go.</param>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when <see cref="LocalAddresses"/> is valid and datagrams are received.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public abstract ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken);

    /// <summary>Sends a datagram and takes it over: it is disposed when it has left. Never throws; what cannot be sent is counted and reported by <see cref="CoapTransportContext.SendFailed"/>.</summary>
    /// <param name="datagram">The datagram.</param>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>Has a thread of the transport call <see cref="CoapTransportContext.Tick"/> soon, because something is due earlier than it knew. Only when <see cref="DrivesClock"/>.</summary>
    public virtual void Wake()
    {
    }

    /// <summary>Stops receiving, sends what is still batched and closes the sockets.</summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public abstract ValueTask DisposeAsync();
}
