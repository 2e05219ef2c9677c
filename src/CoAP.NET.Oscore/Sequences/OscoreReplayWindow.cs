using CoAP.NET.Exchanges;

namespace CoAP.NET.Oscore.Sequences;

/// <summary>
/// The received sequence numbers of requests (RFC 8613 sections 3.2.2 and 7.4). A new window is empty and accepts number 0; a lost one
/// accepts nothing until a request proves with an Echo that it is fresh (appendix B.1.2). Thread-safe: of two copies of a request, on
/// whatever threads, one is fresh.
/// </summary>
internal sealed class OscoreReplayWindow
{
    // Also the lock: each context has a window, so there is no further object for it.
    private readonly ulong[] _ring;
    private readonly int _size;
    private ulong _next;
    private OscoreReplayWindowStatus _state;

    /// <summary>Creates the window of a new context.</summary>
    /// <param name="size">Its size, 1 to 4,096 numbers.</param>
    public OscoreReplayWindow(int size)
    {
        _size = size;
        _ring = new ulong[(size + 63) / 64];
    }

    public OscoreReplayWindowStatus State
    {
        get
        {
            lock (_ring)
            {
                return _state;
            }
        }
    }

    /// <summary>Creates the window of a context whose window was lost.</summary>
    /// <param name="size">Its size, 1 to 4,096 numbers.</param>
    public static OscoreReplayWindow Lost(int size) => new(size) { _state = OscoreReplayWindowStatus.Lost };

    /// <summary>Restores the window of a context.</summary>
    /// <param name="size">Its size, 1 to 4,096 numbers.</param>
    /// <param name="received">The received numbers.</param>
    public static OscoreReplayWindow From(int size, OscoreReceivedNumbers received)
    {
        OscoreReplayWindow window = new(size) { _next = received.Next };
        ulong count = Math.Min(received.Next, (ulong)window._ring.Length * 64);
        for (ulong age = 0; age < count; age++)
        {
            ulong number = received.Next - 1 - age;
            if (received.Contains(number))
            {
                ReplayBits.Add(ref window._next, window._ring, number);
            }
        }

        return window;
    }

    /// <summary>
    /// Whether a request may be new. Checked before decryption, so that replays cost nothing; true if the window is lost.
    /// </summary>
    public bool MayTake(ulong number)
    {
        lock (_ring)
        {
            return _state == OscoreReplayWindowStatus.Lost || TakesLocked(number);
        }
    }

    /// <summary>Judges a request and records it. Only for authentic requests: a forged number must not move the window.</summary>
    public OscoreReplayVerdict Take(ulong number)
    {
        lock (_ring)
        {
            return _state == OscoreReplayWindowStatus.Lost ? OscoreReplayVerdict.Unknown : TakeLocked(number);
        }
    }

    /// <summary>
    /// Accepts a request that proved with an Echo that it is fresh. It and all before it count as received from then on; if the window is
    /// complete, the window decides.
    /// </summary>
    public OscoreReplayVerdict Synchronize(ulong number)
    {
        lock (_ring)
        {
            if (_state != OscoreReplayWindowStatus.Lost)
            {
                return TakeLocked(number);
            }

            _state = OscoreReplayWindowStatus.Synchronized;
            _next = number + 1;
            Array.Fill(_ring, ulong.MaxValue);
            return OscoreReplayVerdict.Fresh;
        }
    }

    /// <summary>Returns the received numbers to store; null if they are unknown.</summary>
    public OscoreReceivedNumbers? Save()
    {
        lock (_ring)
        {
            if (_state == OscoreReplayWindowStatus.Lost)
            {
                return null;
            }

            Span<byte> seen = stackalloc byte[(_size + 7) / 8];
            seen.Clear();
            for (int age = 0; age < seen.Length * 8; age++)
            {
                if ((ulong)age >= _next || !TakesLocked(_next - 1 - (ulong)age))
                {
                    seen[age / 8] |= (byte)(1 << (age % 8));
                }
            }

            return new OscoreReceivedNumbers(_next, seen);
        }
    }

    private bool TakesLocked(ulong number) =>
        (number >= _next || _next - 1 - number < (ulong)_size) && ReplayBits.Takes(_next, _ring, number);

    private OscoreReplayVerdict TakeLocked(ulong number)
    {
        if (!TakesLocked(number))
        {
            return OscoreReplayVerdict.Replayed;
        }

        ReplayBits.Add(ref _next, _ring, number);
        return OscoreReplayVerdict.Fresh;
    }
}
