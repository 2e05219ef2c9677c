using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Proxy;

/// <summary>Limits the number of pending requests of a proxy or gateway, in total and per source.</summary>
/// <remarks>
/// A source never gets more than half of the free places and therefore cannot lock others out. <see cref="CoapProxy"/> and the proxies
/// between HTTP and CoAP use it; custom gateways can do the same. Thread-safe.
/// </remarks>
public sealed class CoapRequestShares
{
    private readonly int _max;
    private readonly int _maxOfSource;
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapSource, int> _held = [];
    private int _count;

    /// <summary>Creates the places; all are free.</summary>
    /// <param name="max">The total number of places. 1 or more.</param>
    /// <param name="maxOfSource">The maximum number of places of one source. 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">One of the numbers is below 1.</exception>
    public CoapRequestShares(int max, int maxOfSource)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxOfSource, 1);
        _max = max;
        _maxOfSource = maxOfSource;
    }

    /// <summary>The number of taken places.</summary>
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

    /// <summary>The number of places that a source holds.</summary>
    /// <param name="source">The source.</param>
    internal int CountOf(CoapSource source)
    {
        lock (_gate)
        {
            return _held.GetValueOrDefault(source);
        }
    }

    /// <summary>Takes a place.</summary>
    /// <param name="source">The source: <see cref="CoapPeer.Source"/>, or for a client that is not a peer the result of
    /// <see cref="Transports.CoapSourceRule"/> for its address.</param>
    /// <returns>Whether a place was free; if so, return it with <see cref="Exit"/>.</returns>
    public bool TryEnter(CoapSource source)
    {
        lock (_gate)
        {
            if (_count >= _max)
            {
                return false;
            }

            // The first request of a source always finds a place.
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

    /// <summary>Returns a place.</summary>
    /// <param name="source">The source that took it.</param>
    /// <exception cref="InvalidOperationException">The source holds no place.</exception>
    public void Exit(CoapSource source)
    {
        lock (_gate)
        {
            ref int held = ref CollectionsMarshal.GetValueRefOrNullRef(_held, source);
            if (Unsafe.IsNullRef(ref held))
            {
                throw new InvalidOperationException(
                    $"{source} holds no place. Call Exit once for each call of TryEnter that returned true.");
            }

            if (--held == 0)
            {
                _held.Remove(source);
            }

            _count--;
        }
    }
}
