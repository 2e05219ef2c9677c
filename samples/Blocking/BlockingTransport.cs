using System.Net;
using System.Net.Sockets;
using CoAP.NET;

namespace Blocking;

/// <summary>
/// CoAP over TCP as libraries of old did it: a thread that accepts and a thread for each connection, reading and writing synchronously. It
/// is here to be compared with, and to show that the interface for stream transports is enough for a whole one: nothing but public members
/// of the library is used.
/// </summary>
public sealed class BlockingTransport : CoapStreamTransport
{
    private readonly Lock _gate = new();
    private readonly HashSet<BlockingConnection> _connections = [];
    private readonly IPEndPoint? _endpoint;
    private Socket? _listener;
    private bool _isClosed;

    /// <summary>Makes a transport; nothing is bound before <see cref="StartAsync"/>.</summary>
    /// <param name="endpoint">The address to listen on, port 0 for any; null: it only connects.</param>
    public BlockingTransport(IPEndPoint? endpoint = null) => _endpoint = endpoint;

    /// <inheritdoc/>
    public override string Scheme => "coap+tcp";

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses =>
        _listener is { LocalEndPoint: IPEndPoint local } ? [CoapAddress.FromIPEndPoint(local)] : [];

    /// <summary>
    /// How long a write may wait for its peer. Default 30 s. As the thread that answers waits, so does whoever else has something for it to
    /// send.
    /// </summary>
    public TimeSpan SendTimeout { get; init; } = TimeSpan.FromSeconds(30);

    internal ICoapStreamTransportContext Context { get; private set; } = null!;

    /// <inheritdoc/>
    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        Context = context;
        if (_endpoint is null)
        {
            return ValueTask.CompletedTask;
        }

        Socket listener = new(_endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            listener.Bind(_endpoint);
            listener.Listen(4096);
        }
        catch (SocketException exception)
        {
            listener.Dispose();
            throw new CoapBindException($"Cannot listen on {_endpoint}: {exception.Message}", exception);
        }

        _listener = listener;
        Start(AcceptAll, $"coap+tcp {listener.LocalEndPoint} accept");
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        TaskCompletionSource<CoapConnection> opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
        IPEndPoint endpoint = remote.ToIPEndPoint();
        Socket socket = new(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);

        // Closing the socket is what ends a synchronous connect.
        CancellationTokenRegistration given = cancellationToken.Register(static state => ((Socket)state!).Dispose(), socket);
        Start(Connect, $"coap+tcp {endpoint}");
        return new ValueTask<CoapConnection>(opened.Task);

        void Connect()
        {
            try
            {
                socket.Connect(endpoint);
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                socket.Dispose();
                given.Dispose();
                opened.TrySetException(cancellationToken.IsCancellationRequested
                    ? new OperationCanceledException(cancellationToken)
                    : new CoapConnectionException(CoapError.ConnectFailed, $"Cannot connect to {endpoint}: {exception.Message}",
                        exception));
                return;
            }

            given.Dispose();
            BlockingConnection connection = new(this, socket, isInitiator: true);
            if (connection.Open())
            {
                opened.TrySetResult(connection);
                connection.Run();
            }
            else
            {
                opened.TrySetException(new CoapConnectionException(CoapError.Refused,
                    $"No connection to {endpoint} is opened: a bound is reached, or the endpoint stops."));
            }
        }
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        BlockingConnection[] all;
        lock (_gate)
        {
            _isClosed = true;
            all = [.. _connections];
        }

        // A thread that waits in Accept or Receive leaves it when its socket is closed.
        _listener?.Dispose();
        foreach (BlockingConnection connection in all)
        {
            connection.Close(null);
        }

        await Task.WhenAll(all.Select(connection => connection.Completion)).ConfigureAwait(false);
    }

    internal bool TryAdd(BlockingConnection connection)
    {
        lock (_gate)
        {
            return !_isClosed && _connections.Add(connection);
        }
    }

    internal void Remove(BlockingConnection connection)
    {
        lock (_gate)
        {
            _connections.Remove(connection);
        }
    }

    private static void Start(Action run, string name) => new Thread(() => run()) { IsBackground = true, Name = name }.Start();

    private void AcceptAll()
    {
        while (true)
        {
            Socket socket;
            try
            {
                socket = _listener!.Accept();
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                lock (_gate)
                {
                    if (_isClosed)
                    {
                        return;
                    }
                }

                // The peer left before it was accepted, or this process has no descriptors left: the next one may do better.
                continue;
            }

            Start(() => Serve(socket), "coap+tcp connection");
        }
    }

    private void Serve(Socket socket)
    {
        BlockingConnection connection;
        try
        {
            connection = new(this, socket, isInitiator: false);
        }
        catch (SocketException)
        {
            // It was reset already: it has no addresses any more.
            socket.Dispose();
            return;
        }

        if (connection.Open())
        {
            connection.Run();
        }
    }
}
