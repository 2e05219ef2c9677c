namespace CoAP.NET.Simulation.Machine;

/// <summary>A client that needs nothing of the library and no thread but the caller's: it sends and waits by plain calls.</summary>
internal sealed class RawPeer : IDisposable
{
    private readonly byte[] _buffer = new byte[4096];
    private readonly bool _isStream;
    private ushort _messageId = 1;

    private RawPeer(Socket socket)
    {
        Socket = socket;
        _isStream = socket.SocketType == SocketType.Stream;
    }

    public Socket Socket { get; }

    /// <summary>Makes one that asks over UDP.</summary>
    public static RawPeer Udp(IPEndPoint server)
    {
        Socket socket = new(server.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(server);
        return new RawPeer(socket);
    }

    /// <summary>Makes one that asks over TCP; not connected yet.</summary>
    public static RawPeer Tcp() => new(new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp));

    /// <summary>Connects and sends our CSM, without waiting for that of the server.</summary>
    public void Connect(IPEndPoint server)
    {
        Socket.Connect(server);
        Socket.Send([0x00, 0xe1]);
    }

    /// <summary>Sends a GET, with Observe when asked for.</summary>
    /// <returns>Its token.</returns>
    public ushort Send(string path, bool confirmable = true, bool observes = false)
    {
        ushort id = _messageId++;
        byte[] name = Encoding.UTF8.GetBytes(path);
        byte[] options = observes ? [0x60, (byte)(0x50 + name.Length), .. name] : [(byte)(0xb0 + name.Length), .. name];
        byte[] message = _isStream
            ? [(byte)((options.Length << 4) | 2), 1, (byte)(id >> 8), (byte)id, .. options]
            : [(byte)(confirmable ? 0x42 : 0x52), 1, (byte)(id >> 8), (byte)id, (byte)(id >> 8), (byte)id, .. options];
        if (options.Length > 12)
        {
            throw new ArgumentException("The path is too long for this peer.", nameof(path));
        }

        Socket.Send(message);
        return id;
    }

    /// <summary>The next message; null when none came in time, or the connection is broken.</summary>
    public byte[]? Receive(TimeSpan limit)
    {
        try
        {
            if (!Socket.Poll(limit, SelectMode.SelectRead))
            {
                return null;
            }

            int length = Socket.Receive(_buffer);
            return length == 0 ? null : _buffer[..length];
        }
        catch (SocketException)
        {
            return null;
        }
    }

    /// <summary>Asks and waits for the answer.</summary>
    /// <returns>Whether it came in time.</returns>
    public bool Ask(string path, TimeSpan limit)
    {
        ushort token;
        try
        {
            token = Send(path);
        }
        catch (SocketException)
        {
            return false;
        }

        Span<byte> sought = stackalloc byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(sought, token);
        Watch end = new();
        while (end.Elapsed is var passed && passed < limit)
        {
            if (Receive(limit - passed) is not { } message)
            {
                return false;
            }

            if (_isStream
                ? message.AsSpan().IndexOf(sought) >= 0
                : message.Length >= 6 && message.AsSpan(4, 2).SequenceEqual(sought) && message[1] != 0)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Acknowledges a confirmable message.</summary>
    public void Acknowledge(byte[] message)
    {
        if (message[0] >> 4 == 4)
        {
            Socket.Send([0x60, 0, message[2], message[3]]);
        }
    }

    public void Dispose() => Socket.Dispose();
}
