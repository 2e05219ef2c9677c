using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore;

/// <summary>Keeps the state of contexts in memory, as long as the object lives.</summary>
/// <remarks>
/// For tests, and for processes that repeatedly create endpoints with the same contexts. It does not survive the process: contexts whose
/// keys do need a <see cref="FileOscoreStore"/>. Thread-safe.
/// </remarks>
public sealed class MemoryOscoreStore : IOscoreStore
{
    private readonly Lock _gate = new();
    private readonly Dictionary<OscoreStoreKey, OscoreStoredState> _states = [];

    internal int Count
    {
        get
        {
            lock (_gate)
            {
                return _states.Count;
            }
        }
    }

    /// <inheritdoc/>
    public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            OscoreStoredState state = _states.TryGetValue(key, out OscoreStoredState? last)
                ? new OscoreStoredState(last.Epoch + 1, last.Next, isNew: false, last.Received)
                : new OscoreStoredState(1, 0, isNew: true, null);
            _states[key] = new OscoreStoredState(state.Epoch, state.Next, state.IsNew, null);
            return new ValueTask<OscoreStoredState>(state);
        }
    }

    /// <inheritdoc/>
    public ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            OscoreStoredState state = OfEpoch(key, epoch);
            OscoreStoreGuard.CheckBound(state.Next, bound);
            _states[key] = new OscoreStoredState(epoch, bound, state.IsNew, state.Received);
        }

        return default;
    }

    /// <inheritdoc/>
    public ValueTask CloseAsync(OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(received);
        lock (_gate)
        {
            // Ends the epoch as well, so that no reservation follows a stored window.
            OscoreStoredState state = OfEpoch(key, epoch);
            _states[key] = new OscoreStoredState(epoch + 1, state.Next, state.IsNew, received);
        }

        return default;
    }

    private OscoreStoredState OfEpoch(OscoreStoreKey key, ulong epoch) =>
        _states.TryGetValue(key, out OscoreStoredState? state) && state.Epoch == epoch ? state : throw OscoreStoreGuard.Superseded();
}
