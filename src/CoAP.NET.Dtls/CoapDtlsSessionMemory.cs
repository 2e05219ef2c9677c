using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;

namespace CoAP.NET.Dtls;

/// <summary>Stores resumable sessions in memory, up to a maximum number, and evicts the oldest first. Thread-safe.</summary>
public sealed class CoapDtlsSessionMemory : ICoapDtlsSessionStore
{
    private readonly Lock _gate = new();
    private readonly LinkedList<Entry> _entries = new();
    private readonly Dictionary<string, LinkedListNode<Entry>> _byId = new(StringComparer.Ordinal);
    private readonly TimeProvider _time;

    /// <summary>Creates a store.</summary>
    /// <param name="capacity">
    /// Maximum number of sessions, at least 1; 1,000 by default. A session takes about 0.5 KB, plus the length of the client's certificate
    /// and its intermediates if it showed one.
    /// </param>
    /// <param name="time">The clock of the expiry; null: the system clock.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is not positive.</exception>
    public CoapDtlsSessionMemory(int capacity = 1_000, TimeProvider? time = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        Capacity = capacity;
        _time = time ?? TimeProvider.System;
    }

    /// <summary>Maximum number of sessions.</summary>
    public int Capacity { get; }

    /// <summary>Number of stored sessions.</summary>
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

    /// <summary>Removes all sessions and overwrites their secrets.</summary>
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
