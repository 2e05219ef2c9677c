using System.Net.Sockets;

namespace CoAP.NET.Survival.Stores;

/// <summary>
/// Passes TCP connections on to a PostgreSQL, which listens on a socket of the file system, and has the faults of networks on demand.
/// Thread-safe.
/// </summary>
internal sealed class TcpProxy : IAsyncDisposable
{
    private const int BufferBytes = 65_536;

    private readonly EndPoint _server;
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<Socket, Socket> _connections = [];
    private readonly Task _accepting;
    private TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Starts one.</summary>
    /// <param name="folder">The folder of the PostgreSQL's socket.</param>
    public TcpProxy(string folder)
    {
        _server = new UnixDomainSocketEndPoint(Path.Combine(folder, ".s.PGSQL.5432"));
        _open.SetResult();
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        Port = ((IPEndPoint)_listener.LocalEndPoint!).Port;
        _accepting = AcceptAsync();
    }

    public int Port { get; }

    /// <summary>Holds back all bytes of both directions, those of new connections included, like a network that lost its route.</summary>
    public void Hold()
    {
        lock (_gate)
        {
            if (_open.Task.IsCompleted)
            {
                _open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
        }
    }

    /// <summary>Passes on what it held back, and what follows.</summary>
    public void Pass()
    {
        lock (_gate)
        {
            _open.TrySetResult();
        }
    }

    /// <summary>Resets all connections, like a load balancer that is restarted.</summary>
    public void Reset()
    {
        lock (_gate)
        {
            foreach ((Socket client, Socket server) in _connections)
            {
                Reset(client);
                Reset(server);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Dispose();
        await _accepting;
        Reset();
        Pass();
        _stop.Dispose();
    }

    private static void Reset(Socket socket)
    {
        try
        {
            socket.LingerState = new LingerOption(true, 0);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The connection has ended.
        }

        socket.Dispose();
    }

    private Task OpenAsync()
    {
        lock (_gate)
        {
            return _open.Task;
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = PassAsync(await _listener.AcceptAsync(_stop.Token));
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // The end.
        }
    }

    private async Task PassAsync(Socket client)
    {
        Socket server = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.NoDelay = true;
        lock (_gate)
        {
            _connections.Add(client, server);
        }

        try
        {
            await OpenAsync();
            await server.ConnectAsync(_server, _stop.Token);
            await Task.WhenAll(CopyAsync(client, server), CopyAsync(server, client));
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // One end is gone, or the server does not run.
        }
        finally
        {
            lock (_gate)
            {
                _connections.Remove(client);
            }

            Reset(client);
            Reset(server);
        }
    }

    private async Task CopyAsync(Socket from, Socket to)
    {
        byte[] buffer = new byte[BufferBytes];
        int length;
        do
        {
            try
            {
                length = await from.ReceiveAsync(buffer, _stop.Token);
            }
            catch (SocketException)
            {
                length = 0;
            }

            // An end of the connection is held back, too: the other end does not know of it.
            await OpenAsync();
            if (length == 0)
            {
                to.Shutdown(SocketShutdown.Send);
                return;
            }

            for (int sent = 0; sent < length;)
            {
                sent += await to.SendAsync(buffer.AsMemory(sent, length - sent), _stop.Token);
            }
        }
        while (length > 0);
    }
}
