using CoAP.NET.Exchanges;

namespace CoAP.NET.Oscore;

/// <summary>
/// Which sequence numbers of requests came (RFC 8613 sections 3.2.2 and 7.4). A new one is empty and takes number 0; one whose state was
/// lost takes nothing until a request proved by Echo that it is fresh (appendix B.1.2). Thread-safe: of two copies of a request, on
/// whatever threads, one is fresh.
/// </summary>
internal sealed class OscoreReplayWindow
{
    // The lock as well: each context has a window, so there is no further object for it.
    private readonly ulong[] _ring;
    private readonly int _size;
    private ulong _next;
    private OscoreReplayState _state;

    /// <summary>Makes the window of a new context.</summary>
    /// <param name="size">How many numbers it tells apart, 1 to 4,096.</param>
    public OscoreReplayWindow(int size)
    {
        _size = size;
        _ring = new ulong[(size + 63) / 64];
    }

    /// <summary>What it knows.</summary>
    public OscoreReplayState State
    {
        get
        {
            lock (_ring)
            {
                return _state;
            }
        }
    }

    /// <summary>Makes the window of a context whose window was lost.</summary>
    /// <param name="size">How many numbers it tells apart, 1 to 4,096.</param>
    public static OscoreReplayWindow Lost(int size) => new(size) { _state = OscoreReplayState.Lost };

    /// <summary>Makes the window of a context as it was left.</summary>
    /// <param name="size">How many numbers it tells apart, 1 to 4,096.</param>
    /// <param name="received">What came.</param>
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

    /// <summary>Whether a request may be new. Asked before it is decrypted, so that replays cost nothing; true where the window is
    /// lost.</summary>
    /// <param name="number">Its number.</param>
    public bool MayTake(ulong number)
    {
        lock (_ring)
        {
            return _state == OscoreReplayState.Lost || TakesLocked(number);
        }
    }

    /// <summary>Judges a request and notes it. Only for requests that are authentic: a forged number must not move the window.</summary>
    /// <param name="number">Its number.</param>
    public OscoreReplayVerdict Take(ulong number)
    {
        lock (_ring)
        {
            return _state == OscoreReplayState.Lost ? OscoreReplayVerdict.Unknown : TakeLocked(number);
        }
    }

    /// <summary>
    /// Takes a request that has proved by Echo that it is fresh. It and all before it count as come from then on; where the window knows
    /// already, the window judges.
    /// </summary>
    /// <param name="number">Its number.</param>
    public OscoreReplayVerdict Synchronize(ulong number)
    {
        lock (_ring)
        {
            if (_state != OscoreReplayState.Lost)
            {
                return TakeLocked(number);
            }

            _state = OscoreReplayState.Synchronized;
            _next = number + 1;
            Array.Fill(_ring, ulong.MaxValue);
            return OscoreReplayVerdict.Fresh;
        }
    }

    /// <summary>What came, to be kept; null when that is not known.</summary>
    public OscoreReceivedNumbers? Save()
    {
        lock (_ring)
        {
            if (_state == OscoreReplayState.Lost)
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
