using System.Buffers.Binary;

namespace CoAP.NET.Survival.Balancing;

/// <summary>A client of the balancer: where its datagrams go, and what was read in them.</summary>
/// <param name="client">Its address and port, as the balancer numbers them.</param>
/// <param name="index">Which one it is, counted from 0.</param>
public sealed class ClientFlow(ulong client, int index)
{
    private const byte Handshake = 22;
    private const byte ApplicationData = 23;
    private const byte ServerHello = 2;
    private const int HeaderLength = 13;
    private const int LengthOffset = 11;

    private readonly RecordNumbers _numbers = new();
    private readonly HashSet<Backend> _entries = [];

    public ulong Client => client;

    public int Index => index;

    /// <summary>Where its datagrams go; null for nowhere yet.</summary>
    public Backend? Home { get; set; }

    public long LastHeard { get; set; }

    /// <summary>Whether a server began a handshake with it.</summary>
    public bool HasShakenHands { get; set; }

    /// <summary>Whether its datagrams went elsewhere than before.</summary>
    public bool HasMoved { get; set; }

    /// <summary>How many records of servers had a number that was used before.</summary>
    public int NumbersTwice { get; private set; }

    /// <summary>Notes that it sent something to a server, so that what comes from there is let through.</summary>
    public void Enter(Backend backend) => _entries.Add(backend);

    /// <summary>Whether it has sent something to a server.</summary>
    public bool Knows(Backend backend) => _entries.Contains(backend);

    /// <summary>Reads what a server sends to it.</summary>
    public void Read(ReadOnlySpan<byte> datagram)
    {
        while (datagram.Length > HeaderLength)
        {
            ulong epochAndNumber = BinaryPrimitives.ReadUInt64BigEndian(datagram[3..]);
            bool isPlain = epochAndNumber >> 48 == 0;
            if (isPlain && datagram[0] == Handshake && datagram[HeaderLength] == ServerHello)
            {
                HasShakenHands = true;
                _numbers.Clear();
            }
            else if (!isPlain && datagram[0] == ApplicationData && !HasShakenHands && !_numbers.TryAdd(epochAndNumber))
            {
                NumbersTwice++;
            }

            int length = HeaderLength + BinaryPrimitives.ReadUInt16BigEndian(datagram[LengthOffset..]);
            datagram = length < datagram.Length ? datagram[length..] : default;
        }
    }

    /// <summary>Begins to count anew.</summary>
    public void Begin()
    {
        HasShakenHands = false;
        HasMoved = false;
    }
}
