namespace CoAP.NET.Oscore.Sequences;

/// <summary>
/// The mutable state of a security context: the sequence numbers of its sender, the replay window of its recipient, and their store.
/// </summary>
internal sealed class OscoreContextState
{
    private readonly IOscoreStore? _store;
    private readonly OscoreStoreKey _key;
    private readonly ulong _epoch;

    private OscoreContextState(
        OscoreSequence sequence, OscoreReplayWindow window, IOscoreStore? store = null, OscoreStoreKey key = default, ulong epoch = 0)
    {
        Sequence = sequence;
        Window = window;
        _store = store;
        _key = key;
        _epoch = epoch;
    }

    public bool IsStored => _store is not null;

    /// <summary>Whether this node may use it.</summary>
    public OscoreContextLocation Availability => _store is IOscoreContextLocator locator ? locator.AvailabilityOf(_key, _epoch)
        : OscoreContextLocation.Here;

    /// <summary>The numbers of the sender.</summary>
    public OscoreSequence Sequence { get; }

    /// <summary>The numbers of the recipient.</summary>
    public OscoreReplayWindow Window { get; }

    /// <summary>
    /// Creates the state of a context whose keys end with this run, such as EDHOC's. With longer-lived keys all numbers would repeat after
    /// a restart.
    /// </summary>
    public static OscoreContextState Volatile(OscoreParameters parameters) =>
        new(OscoreSequence.Volatile(), new OscoreReplayWindow(parameters.WindowSize));

    /// <summary>Opens a context in its store.</summary>
    /// <param name="parameters">The context.</param>
    /// <param name="store">The store.</param>
    /// <param name="scheduler">Runs later calls of the store.</param>
    /// <param name="time">The clock.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OscoreStoreException">The store failed.</exception>
    public static async ValueTask<OscoreContextState> OpenAsync(
        OscoreParameters parameters,
        IOscoreStore store,
        CoapThreadScheduler scheduler,
        TimeProvider time,
        CancellationToken cancellationToken)
    {
        OscoreStoreKey key = OscoreStoreKey.Of(parameters);
        OscoreStoredState state = await store.OpenAsync(key, cancellationToken).ConfigureAwait(false);
        OscoreReplayWindow window = state.Received is { } received ? OscoreReplayWindow.From(parameters.WindowSize, received)
            : state.IsNew ? new OscoreReplayWindow(parameters.WindowSize)
            : OscoreReplayWindow.Lost(parameters.WindowSize);
        return new OscoreContextState(new OscoreSequence(store, key, state, scheduler, time), window, store, key, state.Epoch);
    }

    /// <summary>Closes the context cleanly: assigns no more numbers, and stores the received ones if they are known.</summary>
    /// <exception cref="OscoreStoreException">The store failed; the next run challenges the peer with an Echo.</exception>
    public async ValueTask CloseAsync(CancellationToken cancellationToken)
    {
        Sequence.Close();
        if (_store is not null && Window.Save() is { } received)
        {
            await _store.CloseAsync(_key, _epoch, received, cancellationToken).ConfigureAwait(false);
        }
    }
}
