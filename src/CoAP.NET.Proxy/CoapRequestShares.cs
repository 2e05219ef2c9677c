using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Proxy;

/// <summary>
/// The places that a proxy or gateway has for requests that are under way: how many there are in all, and for one source. A source never
/// gets more than half of the places that are free, so that one cannot keep the others out. <see cref="CoapProxy"/> and the proxies between
/// HTTP and CoAP count by it; a gateway of your own can do the same. Thread-safe.
/// </summary>
public sealed class CoapRequestShares
{
    private readonly int _max;
    private readonly int _maxOfSource;
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapSource, int> _held = [];
    private int _count;

    /// <summary>Makes the places, all of them free.</summary>
    /// <param name="max">How many there are. 1 or more.</param>
    /// <param name="maxOfSource">How many of them one source may have. 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">One of them is below 1.</exception>
    public CoapRequestShares(int max, int maxOfSource)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxOfSource, 1);
        _max = max;
        _maxOfSource = maxOfSource;
    }

    /// <summary>How many places are taken.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _count;
            }
        }
    }

    /// <summary>How many places a source has.</summary>
    /// <param name="source">The source.</param>
    internal int CountOf(CoapSource source)
    {
        lock (_gate)
        {
            return _held.GetValueOrDefault(source);
        }
    }

    /// <summary>Takes a place.</summary>
    /// <param name="source">For whom: <see cref="CoapPeer.Source"/>, or of a client that is no peer what
    /// <see cref="Transports.CoapSourceRule"/> says of its address.</param>
    /// <returns>Whether there was one; if so, <see cref="Exit"/> has to give it back.</returns>
    public bool TryEnter(CoapSource source)
    {
        lock (_gate)
        {
            if (_count >= _max)
            {
                return false;
            }

            // There is a place for the first one of a source.
            ref int held = ref CollectionsMarshal.GetValueRefOrAddDefault(_held, source, out _);
            if (held >= Math.Min(_maxOfSource, Math.Max(1, (_max - _count + held) / 2)))
            {
                return false;
            }

            held++;
            _count++;
            return true;
        }
    }

    /// <summary>Gives a place back.</summary>
    /// <param name="source">Whose it was.</param>
    /// <exception cref="InvalidOperationException">The source has none.</exception>
    public void Exit(CoapSource source)
    {
        lock (_gate)
        {
            ref int held = ref CollectionsMarshal.GetValueRefOrNullRef(_held, source);
            if (Unsafe.IsNullRef(ref held))
            {
                throw new InvalidOperationException(
                    $"{source} has no place that could be given back: call Exit once for each call of TryEnter that returned true.");
            }

            if (--held == 0)
            {
                _held.Remove(source);
            }

            _count--;
        }
    }
}
