namespace CoAP.NET.Shard;

/// <summary>What is to be done once the lock of a shard was released.</summary>
internal enum ShardEffectKind : byte
{
    /// <summary>Somebody goes on without the lock: completions, events, logs.</summary>
    GoOn,

    /// <summary>A message of ours enters as from the Exchanges stage.</summary>
    Send,

    /// <summary>A message of ours is taken back.</summary>
    Cancel,

    /// <summary>A request enters as from the peer.</summary>
    Serve,

    /// <summary>A request that waited gets its answer, or none.</summary>
    Answer,

    /// <summary>Who waits for the outcome of a request of ours learns that it failed.</summary>
    Tell,
}
