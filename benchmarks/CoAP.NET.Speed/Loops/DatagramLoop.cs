using System.Buffers.Binary;

namespace CoAP.NET.Speed.Loops;

/// <summary>
/// Peers that ask a server over UDP, each with one request under way: again when it was answered (closed loop), or when the next request is
/// due (open loop). Nothing is repeated: what is not answered in a second is lost, and so is what is answered 5.03.
/// </summary>
/// <param name="server">The server.</param>
/// <param name="peers">How many.</param>
/// <param name="path">What they ask for: a path of one segment.</param>
/// <param name="payload">What the answer must be.</param>
/// <param name="isConfirmable">Whether the requests are.</param>
/// <param name="hasOwnSockets">Whether each peer has a socket of its own.</param>
/// <param name="client">When they ask within DTLS sessions: what they have in common. Each run begins with sessions of its own; their
/// handshakes, and what they ask in the first half second, do not count.</param>
/// <param name="optionsOf">The options that a peer asks with, by its number; null for those of the path.</param>
/// <param name="contexts">When OSCORE protects the requests: that of each peer.</param>
internal sealed unsafe class DatagramLoop(
    IPEndPoint server, int peers, string path, byte[] payload, bool isConfirmable = true, bool hasOwnSockets = false,
    SecureClient? client = null, Func<int, byte[]>? optionsOf = null, ProtectedPeer[]? contexts = null)
    : DatagramLink(server, peers, hasOwnSockets, client)
{
    private const int HeaderSize = 4;
    private const int TokenSize = 4;

    // What is protected is composed behind what is sent, in the same memory.
    private const int PlainAt = DatagramBatch.Room / 2;

    // 5.03
    private const byte Refusal = 0xa3;

    // A Message ID may be used again after EXCHANGE_LIFETIME only, 247 s: before they are used up, a peer becomes another one.
    private const int RequestsOfAddress = 60_000;

    private const double Patience = 1;
    private const double LookEvery = 0.1;

    // Handshakes are rare in a server that was just started: the runtime compiles what they call anew while the first requests of their
    // sessions wait (a third of the processor for up to 0.4 s), which would be most of the 99th percentile of a short run.
    private const double SettleSeconds = 0.5;

    private readonly Peer[] _peers = new Peer[peers];
    private readonly byte[][] _options = optionsOf is not null
        ? [.. Enumerable.Range(0, peers).Select(optionsOf)]
        : [.. Enumerable.Repeat(DatagramMessages.PathOption(path), peers)];
    private readonly int[] _idle = new int[peers];
    private LatencyHistogram? _times;
    private int _idleCount;
    private int _waiting;
    private bool _isClosed;
    private bool _isOpen;
    private long _lost;
    private long _errors;

    /// <summary>Runs.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="cpu">Tells the processor time that the measured process took so far.</param>
    /// <param name="rate">Requests a second in an open loop; 0 for a closed loop.</param>
    public RunResult Run(double seconds, Func<TimeSpan> cpu, int rate = 0)
    {
        (_lost, _errors, _waiting) = (0, 0, 0);
        if (IsSecure)
        {
            ConnectAll();
            foreach (ref Peer peer in _peers.AsSpan())
            {
                (peer.Used, peer.Lost) = (0, 0);
            }

            RunClosed(Now, SettleSeconds);
            Finish();
            (_lost, _errors) = (0, 0);
        }

        TimeSpan cpuBefore = cpu();
        LatencyHistogram times = _times = new LatencyHistogram();
        long begin = Now;
        long unsent = rate == 0 ? RunClosed(begin, seconds) : RunOpen(begin, seconds, rate);
        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        TimeSpan used = cpu() - cpuBefore;
        _times = null;
        Finish();
        return new RunResult(times, elapsed, used, _lost + unsent, _errors);
    }

    /// <summary>Handles an answer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    protected override void Handle(byte* message, int length, long now)
    {
        const byte EmptyAck = 0x60;
        if (length >= HeaderSize && message[0] == EmptyAck && message[1] == 0)
        {
            // The answer comes in a message of its own.
            return;
        }

        int index;
        if (length < HeaderSize + TokenSize || message[0] < 0x40 || (message[0] & 0xf) != TokenSize
            || (index = Read(message + HeaderSize)) >= _peers.Length)
        {
            _errors++;
            return;
        }

        int type = (message[0] >> 4) & 3;
        if (type == 0)
        {
            byte* answer = Next(index);
            (answer[0], answer[1], answer[2], answer[3]) = (EmptyAck, 0, message[2], message[3]);
            Commit(HeaderSize);
        }

        ref Peer peer = ref _peers[index];
        if (contexts is not null && peer.IsWaiting && peer.Sequence == Read(message + HeaderSize + 2)
            && contexts[index].Open(new Span<byte>(message, length)) is var opened and > 0)
        {
            length = opened;
        }

        if (!peer.IsWaiting || peer.Sequence != Read(message + HeaderSize + 2))
        {
            // Too late, or nothing that was asked for.
            if (peer.Lost > 0)
            {
                peer.Lost--;
            }
            else if (type != 0)
            {
                // An answer in a Confirmable message of its own comes again when its acknowledgement took long.
                _errors++;
            }

            return;
        }

        peer.IsWaiting = false;
        _waiting--;
        bool isRight = message[1] == 0x45
            && (type != 2 || Read(message + 2) == peer.Sequence)
            && DatagramMessages.EndsWith(message + HeaderSize + TokenSize, length - HeaderSize - TokenSize, payload);
        if (message[1] == Refusal)
        {
            // Too many for the server at the time, which is no mistake.
            _lost++;
        }
        else if (!isRight)
        {
            _errors++;
        }
        else
        {
            _times?.Add(Nanoseconds(peer.From, now));
        }

        Done(index, now);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ushort Read(byte* at) => BinaryPrimitives.ReverseEndianness(Unsafe.ReadUnaligned<ushort>(at));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Write(byte* at, ushort value) => Unsafe.WriteUnaligned(at, BinaryPrimitives.ReverseEndianness(value));

    // What is under way at the end belongs to no run, but it must not be lost either.
    private void Finish()
    {
        (_isOpen, _isClosed) = (false, false);
        long last = Now + Ticks(Patience);
        while (_waiting > 0 && Now < last)
        {
            Wait();
        }

        Expire(long.MaxValue);
    }

    private long RunClosed(long begin, double seconds)
    {
        const int Together = 64;
        _isClosed = true;
        for (int i = 0; i < _peers.Length; i++)
        {
            Ask(i, Now, Now);
            if (i % Together == 0)
            {
                Take();
            }
        }

        long end = begin + Ticks(seconds);
        long look = begin + Ticks(LookEvery);
        for (long now = begin; now < end; now = Now)
        {
            Wait();
            if (now >= look)
            {
                look = now + Ticks(LookEvery);
                Expire(now - Ticks(Patience));
            }
        }

        return 0;
    }

    // Says how many were due and never sent, as nobody was idle.
    private long RunOpen(long begin, double seconds, int rate)
    {
        _isOpen = true;
        _idleCount = 0;
        for (int i = 0; i < _peers.Length; i++)
        {
            _idle[_idleCount++] = i;
        }

        long end = begin + Ticks(seconds);
        long look = begin + Ticks(LookEvery);
        double step = Ticks(1) / (double)rate;
        long sent = 0;
        long now = begin;
        for (; now < end; now = Now)
        {
            long due;
            while ((due = begin + (long)(sent * step)) <= now && _idleCount > 0)
            {
                Ask(_idle[--_idleCount], due, now);
                sent++;
            }

            WaitUntil(due <= now ? end : due);
            if (now >= look)
            {
                look = now + Ticks(LookEvery);
                Expire(now - Ticks(Patience));
            }
        }

        return Math.Max(0, (long)((end - begin) / step) - sent);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Done(int index, long now)
    {
        if (_isClosed)
        {
            Ask(index, now, now);
        }
        else if (_isOpen)
        {
            _idle[_idleCount++] = index;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Ask(int index, long from, long now)
    {
        ref Peer peer = ref _peers[index];
        if (peer.Used++ == RequestsOfAddress)
        {
            if (IsSecure)
            {
                throw new InvalidOperationException(
                    $"A session has {RequestsOfAddress:N0} requests at most: take shorter turns, or more sessions.");
            }

            peer.Used = 1;
            peer.Lost = 0;
            Move(index);
        }

        peer.Sequence++;
        peer.IsWaiting = true;
        peer.From = from;
        peer.SentAt = now;
        _waiting++;
        byte* sent = Next(index);
        byte* message = contexts is null ? sent : sent + PlainAt;
        message[0] = (byte)((isConfirmable ? 0x40 : 0x50) | TokenSize);
        message[1] = 0x01;
        Write(message + 2, peer.Sequence);
        Write(message + HeaderSize, (ushort)index);
        Write(message + HeaderSize + 2, peer.Sequence);
        byte[] options = _options[index];
        options.CopyTo(new Span<byte>(message + HeaderSize + TokenSize, options.Length));
        int length = HeaderSize + TokenSize + options.Length;
        Commit(contexts is null
            ? length
            : contexts[index].Protect(new ReadOnlySpan<byte>(message, length), new Span<byte>(sent, DatagramBatch.Room)));
    }

    private void Expire(long before)
    {
        long now = Now;
        for (int i = 0; i < _peers.Length; i++)
        {
            ref Peer peer = ref _peers[i];
            if (peer.IsWaiting && peer.SentAt < before)
            {
                peer.IsWaiting = false;
                peer.Lost++;
                _waiting--;
                _lost++;
                Done(i, now);
            }
        }
    }

    private struct Peer
    {
        // In an open loop the time counts from when it was due.
        public long From;
        public long SentAt;
        public int Used;
        public int Lost;
        public ushort Sequence;
        public bool IsWaiting;
    }
}
