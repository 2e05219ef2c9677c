using System.Threading.Tasks.Dataflow;

namespace CoAP.NET;

/// <summary>A transport that is a Dataflow block: it takes the datagrams to send, and gives those that it receives.</summary>
/// <remarks>
/// <para>
/// A received datagram needs <see cref="CoapDatagram.Remote"/>, the address of its peer: always the same one, and no two peers the same. A
/// medium without addresses invents them, for example in <c>fd00::/8</c>. The transport sets <see cref="CoapDatagram.Local"/> if it is not
/// set. A datagram to send belongs to the block, which disposes it.
/// </para>
/// <para>
/// Datagrams can be lost, repeated and reordered; the mesh does the rest (RFC 7252 section 4). A bounded block that is full drops the
/// datagram, which counts as <c>SendErrors</c>. The end of the block stops the endpoint, and the end of the endpoint
/// completes the block. <see cref="CoapStreamTransport"/> is the base for connections.
/// </para>
/// </remarks>
public sealed class CoapDataflowBlockTransport : CoapDatagramTransport
{
    private readonly IPropagatorBlock<CoapDatagram, CoapDatagram> _block;
    private readonly CoapAddress _local;
    private ICoapDatagramTransportContext? _context;
    private volatile bool _isClosed;

    /// <summary>Creates the transport of a block.</summary>
    /// <param name="block">The block. It belongs to one transport.</param>
    /// <param name="local">The address of this end, for example one in <c>fd00::/8</c>.</param>
    /// <param name="scheme">The scheme of the transport: <c>coap</c> replaces UDP, another one is used beside it. Default: coap.</param>
    /// <param name="defaultPort">The port of URIs of the scheme that name none. Default: 5683.</param>
    public CoapDataflowBlockTransport(
        IPropagatorBlock<CoapDatagram, CoapDatagram> block, CoapAddress local, string scheme = "coap", int defaultPort = 5683)
    {
        ArgumentNullException.ThrowIfNull(block);
        ArgumentNullException.ThrowIfNull(scheme);
        _block = block;
        _local = local;
        Scheme = scheme;
        DefaultPort = defaultPort;
    }

    /// <inheritdoc/>
    public override string Scheme { get; }

    /// <inheritdoc/>
    public override int DefaultPort { get; }

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _context is null ? [] : [_local];

    /// <inheritdoc/>
    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        _context = context;
        _block.LinkTo(new Receiver(this));
        _ = WatchAsync(context);
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (!_block.Post(datagram))
        {
            _context?.Counters.Add(CoapCounter.SendErrors);
            datagram.Dispose();
        }
    }

    /// <summary>Completes the block. What it still receives is dropped.</summary>
    /// <returns>A completed task: a block that waits for a slow medium does not delay the end of the endpoint.</returns>
    public override ValueTask DisposeAsync()
    {
        _isClosed = true;
        _block.Complete();
        return ValueTask.CompletedTask;
    }

    private void Receive(CoapDatagram datagram)
    {
        if (_isClosed)
        {
            datagram.Dispose();
            return;
        }

        datagram.Transport = this;
        if (datagram.Local == default)
        {
            datagram.Local = _local;
        }

        _context!.Receive(datagram);
    }

    private async Task WatchAsync(ICoapDatagramTransportContext context)
    {
        await _block.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!_isClosed)
        {
            context.Fault(new CoapException(
                $"The block of the transport {Scheme} {(_block.Completion.IsFaulted ? "faulted" : "completed")} while the endpoint was running.",
                _block.Completion.Exception?.InnerException));
        }
    }

    private sealed class Receiver(CoapDataflowBlockTransport transport) : CoapInlineBlock<CoapDatagram, CoapDatagram>
    {
        protected override bool Process(CoapDatagram item)
        {
            transport.Receive(item);
            return true;
        }
    }
}
