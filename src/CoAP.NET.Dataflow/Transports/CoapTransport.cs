using System.Net;

namespace CoAP.NET;

/// <summary>Carries messages between sockets and the mesh.</summary>
/// <remarks>
/// A transport offers received messages to <see cref="ICoapTransportContext.Receive"/> and sends those that <see cref="Send"/> gets. Derive
/// your own transport from one of the three kinds: <see cref="CoapDatagramTransport"/> for datagrams that can be lost and reordered (UDP,
/// SMS, a radio), <see cref="CoapStreamTransport"/> for reliable connections, <see cref="CoapSessionTransport"/> for security sessions over
/// datagrams. Each kind gets its own context at the start.
/// </remarks>
public abstract class CoapTransport : IAsyncDisposable
{
    private protected CoapTransport()
    {
    }

    /// <summary>The URI scheme, in lower case: one of CoAP's, such as <c>coap</c>, or one of your own, such as <c>coap+sms</c>.</summary>
    /// <remarks>
    /// A request goes to the transport of its scheme. A transport with a scheme of CoAP therefore replaces that of the library; one with a
    /// scheme of its own is used beside it. <see cref="CoapEndpoint.AddTransport"/> registers the scheme for the process.
    /// </remarks>
    public abstract string Scheme { get; }

    /// <summary>The port of URIs of a <see cref="Scheme"/> of your own that name none: 1 to 65,535. Default 5683.</summary>
    public virtual int DefaultPort => 5683;

    /// <summary>
    /// Whether the transport delivers reliably and in order. RFC 8323 framing then applies instead of RFC 7252 section 4.
    /// </summary>
    public virtual bool IsReliable => false;

    /// <summary>Whether DTLS or TLS protects the transport.</summary>
    public virtual bool IsSecure => false;

    /// <summary>Whether it opens exchanges with peers on its own: a transport that only receives accepted connections does not.</summary>
    internal virtual bool CanRequest => true;

    internal virtual bool CanListen => true;

    /// <summary>
    /// Whether the transport drives the clocks of the shards from its own loop, with <see cref="ICoapTransportContext.Tick"/>.
    /// </summary>
    public virtual bool DrivesClock => false;

    /// <summary>The bound addresses; empty before the start.</summary>
    /// <remarks>The port is the real one, even if port 0 was requested.</remarks>
    public abstract IReadOnlyList<CoapAddress> LocalAddresses { get; }

    /// <summary>Finds how to send from one of the local addresses (<see cref="CoapRequest.LocalAddress"/>).</summary>
    /// <param name="address">The local address to send from.</param>
    /// <param name="local">The address, with the port, as received datagrams have it in <see cref="CoapDatagram.Local"/>.</param>
    /// <param name="tag">The matching <see cref="CoapDatagram.TransportTag"/>.</param>
    /// <returns>
    /// Whether the transport can send from the address. Default: whether it is bound to the address, or to any. The tag is the index in
    /// <see cref="LocalAddresses"/>.
    /// </returns>
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

    /// <summary>Returns the default local address for datagrams to a peer. Thread-safe.</summary>
    /// <remarks>The endpoint asks on hosts with several addresses, so that all messages to a peer come from one address.</remarks>
    /// <param name="remote">The peer's address.</param>
    /// <returns>The address; null when unknown. Default null: the transport chooses when it sends.</returns>
    public virtual IPAddress? SourceTo(CoapAddress remote) => null;

    /// <summary>Whether a stand-by thread takes over the receive loop when user code blocks it.</summary>
    /// <remarks>
    /// If true, user code after a response may run on the receiving threads. Otherwise it runs elsewhere and cannot delay them. The value
    /// is fixed once the transport has started. Default false.
    /// </remarks>
    internal virtual bool HandsOver => false;

    /// <summary>Whether an address currently belongs to this host. Thread-safe.</summary>
    /// <remarks>
    /// The endpoint asks when a request must leave from the address, and when a datagram could not be sent. An address can disappear for a
    /// while and return; the endpoint does not give up the peer for that.
    /// </remarks>
    /// <param name="address">The address.</param>
    /// <returns>True if the address is local, as far as the transport knows. Default true.</returns>
    public virtual bool IsOurs(IPAddress address) => true;

    /// <summary>Sends a message and takes it over. Never throws. Several threads call it at a time.</summary>
    /// <remarks>The transport disposes the message after sending it.</remarks>
    /// <param name="datagram">The datagram.</param>
    public abstract void Send(CoapDatagram datagram);

    /// <summary>Makes a thread of the transport call <see cref="ICoapTransportContext.Tick"/> soon.</summary>
    /// <remarks>The endpoint calls it if <see cref="DrivesClock"/>, when a timer is due earlier than the transport knew.</remarks>
    public virtual void Wake()
    {
    }

    /// <summary>Stops receiving, sends batched messages and closes the sockets.</summary>
    /// <returns>A task that completes when the transport receives nothing more.</returns>
    public abstract ValueTask DisposeAsync();
}
