using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using CoAP.NET.Serialization;

namespace CoAP.NET.Footprint.Processes;

/// <summary>Peers that GET, a UDP socket each, on one thread. Every answer is compared byte for byte. Nothing is sent again.</summary>
internal sealed class UdpLoad : IDisposable
{
    private const int TokenLength = 4;
    private const int HeadLength = 4 + TokenLength;

    // A peer of the closed loop has one request under way, which no queue is too short for: its answer is late, not lost.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    // In the open loop some may be lost. Whoever was answered once hears no more when there is silence for so long.
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(2);

    private readonly Socket[] _peers;
    private readonly uint[] _counts;
    private readonly long[] _sentAt;
    private readonly Poller _poller = new();
    private readonly int[] _ready = new int[256];
    private readonly byte[] _request;
    private readonly byte[] _expected;
    private readonly byte[] _buffer = new byte[2048];

    public UdpLoad(IPEndPoint server, int peers)
    {
        _request = Bytes(new CoapMessage(CoapCode.Get), options => options.Add(new UriPathOption("hello")));
        _expected = Bytes(
            new CoapMessage(CoapCode.Content)
            {
                Type = CoapMessageType.Acknowledgement,
                Payload = System.Text.Encoding.UTF8.GetBytes(Frames.Hello)
            },
            options => options.Add(new ContentFormatOption(CoapContentFormat.TextPlain)));
        _counts = new uint[peers];
        _sentAt = new long[peers];
        _peers = new Socket[peers];
        for (int i = 0; i < peers; i++)
        {
            _peers[i] = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
            _peers[i].Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _peers[i].Connect(server);
            _poller.Watch((int)_peers[i].Handle, i, isKnown: false);
        }
    }

    /// <summary>Right answers.</summary>
    public long Answers { get; private set; }

    /// <summary>Answers of other bytes than expected, or to what was not asked.</summary>
    public long Wrong { get; private set; }

    /// <summary>Requests that were answered 5.03, as a server does for which they are too many at the time.</summary>
    public long Refused { get; private set; }

    /// <summary>The first of the wrong answers, as hexadecimal digits; empty when there is none.</summary>
    public string FirstWrong { get; private set; } = "";

    /// <summary>Requests without an answer: after a minute in the closed loop, at the end in the open one.</summary>
    public long Lost { get; private set; }

    /// <summary>How long answers took, in the open loop from when the request was due.</summary>
    public LatencyHistogram Times { get; } = new();

    /// <summary>The longest of these times.</summary>
    public TimeSpan Longest { get; private set; }

    /// <summary>Has each peer ask again when it was answered.</summary>
    public void RunClosed(TimeSpan time)
    {
        long begin = TimeProvider.System.GetTimestamp();
        for (int i = 0; i < _peers.Length; i++)
        {
            Ask(i);
        }

        while (TimeProvider.System.GetElapsedTime(begin) < time)
        {
            Receive(1, askAgain: true);
            long now = TimeProvider.System.GetTimestamp();
            for (int i = 0; i < _peers.Length; i++)
            {
                if (_sentAt[i] != 0 && TimeProvider.System.GetElapsedTime(_sentAt[i], now) > s_patience)
                {
                    Lost++;
                    Ask(i);
                }
            }
        }

        Drain();
    }

    /// <summary>
    /// Has peers ask in turn at a steady rate, answered or not, so that a server that is late meets all the requests that were due
    /// meanwhile. Each request is sent once.
    /// </summary>
    public void RunOpen(TimeSpan time, int rate)
    {
        double interval = TimeProvider.System.TimestampFrequency / (double)rate;
        long total = (long)(time.TotalSeconds * rate);
        bool[] isAnswered = new bool[total];
        long begin = TimeProvider.System.GetTimestamp();
        long DueAt(long number) => begin + (long)(number * interval);
        long sent = 0;
        long heard = begin;
        while (Answers + Wrong + Refused < total
            && (sent < total || TimeProvider.System.GetElapsedTime(heard) < (Answers + Refused == 0 ? s_patience : s_silence)))
        {
            for (long now = TimeProvider.System.GetTimestamp(); sent < total && DueAt(sent) <= now; sent++)
            {
                Write(_request, (ushort)(sent / _peers.Length), (uint)sent);
                _peers[sent % _peers.Length].Send(_request, SocketFlags.None, out _);
                heard = now;
            }

            // With a processor of its own it looks all the time: epoll knows no time below a millisecond.
            int ready = _poller.Wait(_ready, Environment.ProcessorCount > 1 ? 0 : 1);
            for (int i = 0; i < ready; i++)
            {
                int length = _peers[_ready[i]].Receive(_buffer, SocketFlags.None, out SocketError error);
                if (error != SocketError.Success)
                {
                    continue;
                }

                long number = length >= HeadLength ? BinaryPrimitives.ReadUInt32BigEndian(_buffer.AsSpan(HeadLength - TokenLength)) : total;
                Write(_expected, (ushort)(number / _peers.Length), (uint)number);
                bool isRefused = IsRefused(length);
                if (number >= sent || number % _peers.Length != _ready[i] || isAnswered[number]
                    || !(isRefused || _buffer.AsSpan(0, length).SequenceEqual(_expected)))
                {
                    AddWrong(length);
                    continue;
                }

                isAnswered[number] = true;
                heard = TimeProvider.System.GetTimestamp();
                if (isRefused)
                {
                    Refused++;
                }
                else
                {
                    Count(DueAt(number));
                }
            }
        }

        Lost += total - Answers - Refused;
    }

    public void Dispose()
    {
        _poller.Dispose();
        Array.ForEach(_peers, peer => peer.Dispose());
    }

    // To the request whose right answer is the expected one: the head is the same but for the code.
    private bool IsRefused(int length) =>
        length >= HeadLength && _buffer[1] == CoapCode.ServiceUnavailable.Value && _buffer[0] == _expected[0]
            && _buffer.AsSpan(2, HeadLength - 2).SequenceEqual(_expected.AsSpan(2, HeadLength - 2));

    private void AddWrong(int length)
    {
        if (Wrong++ == 0)
        {
            FirstWrong = Convert.ToHexStringLower(_buffer.AsSpan(0, length));
        }
    }

    private void Count(long since)
    {
        TimeSpan took = TimeProvider.System.GetElapsedTime(since);
        Times.Add((long)took.TotalNanoseconds);
        Longest = took > Longest ? took : Longest;
        Answers++;
    }

    private void Ask(int peer)
    {
        Write(_request, (ushort)++_counts[peer], _counts[peer]);
        _sentAt[peer] = TimeProvider.System.GetTimestamp();
        _peers[peer].Send(_request, SocketFlags.None, out _);
    }

    private void Receive(int milliseconds, bool askAgain)
    {
        int ready = _poller.Wait(_ready, milliseconds);
        for (int i = 0; i < ready; i++)
        {
            int peer = _ready[i];
            int length = _peers[peer].Receive(_buffer, SocketFlags.None, out SocketError error);
            if (error != SocketError.Success)
            {
                continue;
            }

            Write(_expected, (ushort)_counts[peer], _counts[peer]);
            bool isRefused = IsRefused(length);
            if (_sentAt[peer] == 0 || !(isRefused || _buffer.AsSpan(0, length).SequenceEqual(_expected)))
            {
                AddWrong(length);
                continue;
            }

            if (isRefused)
            {
                Refused++;
            }
            else
            {
                Count(_sentAt[peer]);
            }

            _sentAt[peer] = 0;
            if (askAgain)
            {
                Ask(peer);
            }
        }
    }

    private void Drain()
    {
        long begin = TimeProvider.System.GetTimestamp();
        while (_sentAt.Any(sent => sent != 0) && TimeProvider.System.GetElapsedTime(begin) < s_patience)
        {
            Receive(1, askAgain: false);
        }

        Lost += _sentAt.Count(sent => sent != 0);
        Array.Clear(_sentAt);
    }

    private static void Write(Span<byte> message, ushort messageId, uint token)
    {
        BinaryPrimitives.WriteUInt16BigEndian(message[2..], messageId);
        BinaryPrimitives.WriteUInt32BigEndian(message[(HeadLength - TokenLength)..], token);
    }

    private static byte[] Bytes(CoapMessage message, Action<CoapOptionCollection> options)
    {
        message.Token = new CoapToken(new byte[TokenLength]);
        options(message.Options);
        return CoapDatagramSerializer.Default.Serialize(message);
    }
}
