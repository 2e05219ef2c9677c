using System.Net.Security;
using System.Net.Sockets;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>A socket, with or without TLS.</summary>
internal sealed class SocketByteTransport : ConnectionByteTransport
{
    private readonly ConnectedTcpSocket _socket;
    private readonly SslStream? _tls;
    private readonly TlsInnerStream? _records;
    private readonly CoapAddress _remote;
    private readonly bool _isInitiator;

    /// <summary>Creates a link without TLS.</summary>
    /// <param name="socket">The socket; disposed with the link.</param>
    /// <param name="remote">The peer.</param>
    /// <param name="isInitiator">Whether this end connected.</param>
    public SocketByteTransport(ConnectedTcpSocket socket, CoapAddress remote, bool isInitiator)
    {
        _socket = socket;
        _remote = remote;
        _isInitiator = isInitiator;
    }

    /// <summary>Creates a link with TLS after its handshake.</summary>
    public SocketByteTransport(ConnectedTcpSocket socket, SslStream tls, TlsInnerStream records, CoapAddress remote, bool isInitiator)
        : this(socket, remote, isInitiator)
    {
        _tls = tls;
        _records = records;
    }

    public CoapAddress LocalAddress => _socket.LocalAddress;

    public override bool HasRecords => _records is not null;

    public override long RecordReceived => _records?.RecordReceived ?? 0;

    public override void Begin(ConnectionReaderMemoryCharge charge) => _records?.BeginRecords(charge);

    public override bool TryPause() => _records is not { } records || records.TryPause();

    // Without TLS a spurious wait costs only time, so the platform is not asked.
    public override ValueTask<int> WaitAsync() => ReadAsync(Memory<byte>.Empty);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer) =>
        _tls is { } tls ? _records!.ReadAsync(tls, buffer) : _socket.ReadAsync(buffer, CancellationToken.None);

    // From the socket, even under TLS: the content is irrelevant.
    public override ValueTask<int> DiscardAsync(Memory<byte> buffer) => _socket.ReadAsync(buffer, CancellationToken.None);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage) =>
        _tls is { } tls ? tls.WriteAsync(bytes, CancellationToken.None) : _socket.WriteAsync(bytes, CancellationToken.None);

    public override async ValueTask EndOutputAsync()
    {
        if (_tls is { } tls)
        {
            await _records!.ShutdownAsync(tls).ConfigureAwait(false);
        }

        _socket.EndOutput();
    }

    // Sends close_notify as far as possible without waiting; the rest is lost when the socket closes.
    public override void SayEnd()
    {
        if (_tls is not { } tls)
        {
            return;
        }

        // It is over anyway: the platform's TLS throws many types for a connection that is also ending elsewhere.
        _ = _records!.ShutdownAsync(tls).ContinueWith(static task => _ = task.Exception, CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    public override void Close() => _socket.Close();

    public override void Release()
    {
        if (_tls is { } tls)
        {
            tls.Dispose();
        }
        else
        {
            _socket.Close();
        }
    }

    public override Exception Explain(Exception error, bool hasHeard) => error switch
    {
        CoapConnectionException => error,
        { InnerException: CoapConnectionException own } => own,
        _ when _tls is not null && _isInitiator && !hasHeard => TlsFailureMessage.EndedByServer(_remote, error),
        IOException { InnerException: SocketException inner } => inner,
        _ => error,
    };

    // With TLS 1.3 a client finishes before the server has checked its certificate.
    public override Exception? ExplainEnd(bool hasHeard) =>
        _tls is not null && _isInitiator && !hasHeard ? TlsFailureMessage.EndedByServer(_remote, null) : null;
}
