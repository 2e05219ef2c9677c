namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>
/// A pooler in front of PostgreSQL, as PgBouncer is: it tells its clients of a process that the server does not have. In transaction mode
/// each transaction gets the session of the server that was used last and is free.
/// </summary>
internal sealed class ScriptedPooler : IAsyncDisposable
{
    private const string SocketName = ".s.PGSQL.5432";
    private const int HeadLength = sizeof(byte) + sizeof(int);

    // Of the protocol of PostgreSQL: requests for encryption, which it answers with "no".
    private static readonly int[] s_encryption = [80_877_103, 80_877_104];

    private readonly string _server;
    private readonly bool _isSessionMode;
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-pooler-").FullName;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly ConcurrentStack<NetworkStream> _free = [];
    private readonly ConcurrentBag<NetworkStream> _all = [];
    private readonly ConcurrentBag<Task> _clients = [];
    private readonly Task _accepting;
    private byte[] _startup = [];
    private byte[] _welcome = [];

    /// <summary>Starts a pooler.</summary>
    /// <param name="server">The directory with the socket of PostgreSQL.</param>
    /// <param name="isSessionMode">Whether a client keeps its session.</param>
    public ScriptedPooler(string server, bool isSessionMode)
    {
        _server = server;
        _isSessionMode = isSessionMode;
        _listener.Bind(new UnixDomainSocketEndPoint(Path.Combine(_folder, SocketName)));
        _listener.Listen();
        _accepting = AcceptAsync();
    }

    public string ConnectionString => $"Host={_folder};Username=coap;Database=postgres;Timeout=60";

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        foreach (NetworkStream stream in _all)
        {
            await stream.DisposeAsync();
        }

        await _accepting;
        await Task.WhenAll(_clients);
        Directory.Delete(_folder, recursive: true);
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _clients.Add(ServeAsync(Own(await _listener.AcceptAsync())));
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task ServeAsync(NetworkStream client)
    {
        NetworkStream? session = null;
        try
        {
            byte[] startup = await ReadAsync(client, 0);
            while (s_encryption.Contains(BinaryPrimitives.ReadInt32BigEndian(startup.AsSpan(sizeof(int)))))
            {
                await client.WriteAsync("N"u8.ToArray());
                startup = await ReadAsync(client, 0);
            }

            if (_welcome.Length == 0)
            {
                _startup = startup;
                _free.Push(await OpenAsync());
            }

            await client.WriteAsync(_welcome);
            while (true)
            {
                byte[] message = await ReadAsync(client, 1);
                if (session is null && !_free.TryPop(out session))
                {
                    session = await OpenAsync();
                }

                await session.WriteAsync(message);
                if ((char)message[0] is 'Q' or 'S' && await AnswerAsync(session, client) && !_isSessionMode)
                {
                    _free.Push(session);
                    session = null;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException or SocketException)
        {
            // The client or the test has ended.
        }

        await client.DisposeAsync();
        if (session is not null)
        {
            await session.DisposeAsync();
        }
    }

    private async Task<NetworkStream> OpenAsync()
    {
        Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(Path.Combine(_server, SocketName)));
        NetworkStream session = Own(socket);
        await session.WriteAsync(_startup);
        using MemoryStream welcome = new();
        await AnswerAsync(session, welcome);
        _welcome = welcome.ToArray();
        return session;
    }

    // Whether the session is in no transaction.
    private static async Task<bool> AnswerAsync(NetworkStream session, Stream client)
    {
        while (true)
        {
            byte[] message = await ReadAsync(session, 1);
            if ((char)message[0] == 'K')
            {
                // The process of the session, which a pooler replaces.
                BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(HeadLength), 1);
            }

            await client.WriteAsync(message);
            if ((char)message[0] == 'Z')
            {
                return (char)message[HeadLength] == 'I';
            }
        }
    }

    // A message, with a type of some bytes before its length.
    private static async Task<byte[]> ReadAsync(NetworkStream stream, int type)
    {
        byte[] head = new byte[type + sizeof(int)];
        await stream.ReadExactlyAsync(head);
        byte[] message = [.. head, .. new byte[BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(type)) - sizeof(int)]];
        await stream.ReadExactlyAsync(message.AsMemory(head.Length));
        return message;
    }

    private NetworkStream Own(Socket socket)
    {
        NetworkStream stream = new(socket, ownsSocket: true);
        _all.Add(stream);
        return stream;
    }
}
