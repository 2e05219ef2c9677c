using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;

namespace CoAP.NET.Dtls;

/// <summary>Keeps sessions that may be resumed in memory, bounded in number; those that were added first go first. Thread safe.</summary>
public sealed class CoapDtlsSessionMemory : ICoapDtlsSessionStore
{
    private readonly Lock _gate = new();
    private readonly LinkedList<Entry> _entries = new();
    private readonly Dictionary<string, LinkedListNode<Entry>> _byId = new(StringComparer.Ordinal);
    private readonly TimeProvider _time;

    /// <summary>Makes one.</summary>
    /// <param name="capacity">Most sessions that are kept, at least 1; 1,000 by default. One takes about 0.5 KB, with a client's
    /// certificate as much more as that is long.</param>
    /// <param name="time">The clock by which they expire; null: that of the system.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is not positive.</exception>
    public CoapDtlsSessionMemory(int capacity = 1_000, TimeProvider? time = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        Capacity = capacity;
        _time = time ?? TimeProvider.System;
    }

    /// <summary>Most sessions that are kept.</summary>
    public int Capacity { get; }

    /// <summary>How many are kept.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _entries.Count;
            }
        }
    }

    /// <inheritdoc/>
    public void Add(ReadOnlySpan<byte> id, byte[] state, DateTimeOffset expires)
    {
        ArgumentNullException.ThrowIfNull(state);
        string name = Convert.ToHexString(id);
        lock (_gate)
        {
            if (_byId.TryGetValue(name, out LinkedListNode<Entry>? known))
            {
                Drop(known);
            }

            while (_entries.First is { } first && (_entries.Count >= Capacity || first.Value.Expires <= _time.GetUtcNow()))
            {
                Drop(first);
            }

            _byId[name] = _entries.AddLast(new Entry(name, state, expires));
        }
    }

    /// <inheritdoc/>
    public bool TryTake(ReadOnlySpan<byte> id, [NotNullWhen(true)] out byte[]? state)
    {
        state = null;
        lock (_gate)
        {
            if (!_byId.Remove(Convert.ToHexString(id), out LinkedListNode<Entry>? node))
            {
                return false;
            }

            _entries.Remove(node);
            if (node.Value.Expires > _time.GetUtcNow())
            {
                state = node.Value.State;
                return true;
            }

            CryptographicOperations.ZeroMemory(node.Value.State);
            return false;
        }
    }

    /// <summary>Forgets all sessions, and overwrites their secrets.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            while (_entries.First is { } first)
            {
                Drop(first);
            }
        }
    }

    private void Drop(LinkedListNode<Entry> node)
    {
        _entries.Remove(node);
        _byId.Remove(node.Value.Name);
        CryptographicOperations.ZeroMemory(node.Value.State);
    }

    private sealed record Entry(string Name, byte[] State, DateTimeOffset Expires);
}
