using CoAP.NET.Transports.Loops;
using LibC = CoAP.NET.Bench.LibC;

namespace CoAP.NET.Simulation.Overload;

/// <summary>Observers of one resource, each a peer of its own, on a thread of their own. They acknowledge what they are told.</summary>
internal sealed class ObserverCrowd : IDisposable
{
    private static readonly byte[] s_register = [0x44, 1, 0, 0, 0, 0, 0, 0, 0x60, 0x55, .. Encoding.ASCII.GetBytes("state")];

    private readonly Socket[] _sockets;
    private readonly int[] _descriptors;
    private readonly int[] _states;
    private readonly Poller _poller = new();
    private readonly Thread _thread;
    private readonly Lock _gate = new();
    private readonly SortedDictionary<int, ObservedState> _told = [];
    private volatile int _registered;
    private volatile bool _ends;

    public ObserverCrowd(IPEndPoint server, int count)
    {
        _sockets = new Socket[count];
        _descriptors = new int[count];
        _states = new int[count];
        Array.Fill(_states, -1);
        for (int i = 0; i < count; i++)
        {
            Socket socket = _sockets[i] = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            socket.Connect(server);
            _descriptors[i] = (int)socket.SafeHandle.DangerousGetHandle();
            _poller.Watch(_descriptors[i], i, isKnown: false);
        }

#pragma warning disable RS0030 // a loop of its own, so that what the load does is not in its figures
        _thread = new Thread(Run) { IsBackground = true };
#pragma warning restore RS0030
        _thread.Start();
    }

    public int Count => _sockets.Length;

    /// <summary>How many are registered.</summary>
    public int Registered => _registered;

    /// <summary>What was told of each state.</summary>
    public IReadOnlyList<ObservedState> Told
    {
        get
        {
            lock (_gate)
            {
                return [.. _told.Values];
            }
        }
    }

    /// <summary>How many know the newest state that anybody was told.</summary>
    public int UpToDate
    {
        get
        {
            int newest = _states.Max();
            return _states.Count(state => state == newest);
        }
    }

    public void Dispose()
    {
        _ends = true;
        _thread.Join();
        foreach (Socket socket in _sockets)
        {
            socket.Dispose();
        }

        _poller.Dispose();
    }

    private void Run()
    {
        const int Again = 1;
        int[] ready = new int[256];
        byte[] buffer = new byte[2048];
        ushort messageId = 0;
        long asked = 0;
        while (!_ends)
        {
            if (_registered < Count && (asked == 0 || TimeProvider.System.GetElapsedTime(asked).TotalSeconds > Again))
            {
                asked = TimeProvider.System.GetTimestamp();
                for (int i = 0; i < Count; i++)
                {
                    if (_states[i] < 0)
                    {
                        byte[] request = [.. s_register];
                        BinaryPrimitives.WriteUInt16BigEndian(request.AsSpan(2), messageId);
                        BinaryPrimitives.WriteInt32BigEndian(request.AsSpan(4), i);
                        _ = LibC.Send(_descriptors[i], request);
                    }
                }

                messageId++;
            }

            int count = _poller.Wait(ready, 10);
            for (int i = 0; i < count; i++)
            {
                int length;
                while ((length = (int)LibC.Receive(_descriptors[ready[i]], buffer)) > 0)
                {
                    Handle(ready[i], buffer.AsSpan(0, length), TimeProvider.System.GetTimestamp());
                }
            }
        }
    }

    private void Handle(int index, ReadOnlySpan<byte> message, long now)
    {
        const byte Content = 0x45;
        if (message.Length >= 4 && (message[0] & 0x30) == 0)
        {
            _ = LibC.Send(_descriptors[index], [0x60, 0, message[2], message[3]]);
        }

        if (message.Length < 8 || message[1] != Content)
        {
            return;
        }

        string[] parts = Encoding.ASCII.GetString(CoapDatagramSerializer.Default.Deserialize(message).Payload.Span).Split(' ');
        int state = int.Parse(parts[0]);
        int before = _states[index];
        if (state <= before)
        {
            return;
        }

        _states[index] = state;
        if (before < 0)
        {
            _registered++;
            return;
        }

        long changed = long.Parse(parts[1]);
        lock (_gate)
        {
            if (!_told.TryGetValue(state, out ObservedState? told))
            {
                _told.Add(state, told = new ObservedState(changed));
            }

            told.Times.Add((long)TimeProvider.System.GetElapsedTime(changed, now).TotalNanoseconds);
        }
    }
}

/// <summary>A state of an observed resource, and how long it took to be told.</summary>
/// <param name="changedAt">When it came, as a time stamp.</param>
internal sealed class ObservedState(long changedAt)
{
    public long ChangedAt { get; } = changedAt;

    /// <summary>The times of those who were told.</summary>
    public LatencyHistogram Times { get; } = new();
}
