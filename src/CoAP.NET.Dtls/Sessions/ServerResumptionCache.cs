using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Stores resumable sessions in memory, up to a maximum number, and evicts the oldest first. Thread-safe.</summary>
internal sealed class ServerResumptionCache : IServerResumptionCache
{
    private readonly Lock _gate = new();
    private readonly LruDictionary<string, (byte[] State, DateTimeOffset Expires)> _entries;
    private readonly TimeProvider _time;

    /// <summary>Creates a store.</summary>
    /// <param name="capacity">
    /// Maximum number of sessions, at least 1; 1,000 by default. A session takes about 0.5 KB, plus the length of the client's certificate
    /// and its intermediates if it showed one.
    /// </param>
    /// <param name="time">The clock of the expiry; null: the system clock.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is not positive.</exception>
    public ServerResumptionCache(int capacity = 1_000, TimeProvider? time = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        Capacity = capacity;
        _entries = new(capacity, StringComparer.Ordinal);
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
            Drop(name);
            while (_entries.Oldest is { } first && (_entries.Count == Capacity || first.Value.Expires <= _time.GetUtcNow()))
            {
                Drop(first.Key);
            }

            _entries.Set(name, (state, expires));
        }
    }

    /// <inheritdoc/>
    public bool TryTake(ReadOnlySpan<byte> id, [NotNullWhen(true)] out byte[]? state)
    {
        state = null;
        lock (_gate)
        {
            if (!_entries.Remove(Convert.ToHexString(id), out (byte[] State, DateTimeOffset Expires) entry))
            {
                return false;
            }

            if (entry.Expires > _time.GetUtcNow())
            {
                state = entry.State;
                return true;
            }

            CryptographicOperations.ZeroMemory(entry.State);
            return false;
        }
    }

    /// <summary>Removes all sessions and overwrites their secrets.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            while (_entries.Oldest is { } first)
            {
                Drop(first.Key);
            }
        }
    }

    private void Drop(string name)
    {
        if (_entries.Remove(name, out (byte[] State, DateTimeOffset Expires) entry))
        {
            CryptographicOperations.ZeroMemory(entry.State);
        }
    }
}
