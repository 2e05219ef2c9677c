namespace CoAP.NET.Shard;

/// <summary>The kinds of effects after the lock of a shard was released.</summary>
internal enum ShardEffectKind : byte
{
    /// <summary>An object continues without the lock: completions, events, logs.</summary>
    GoOn,

    /// <summary>A message enters as if from the Exchanges stage.</summary>
    Send,

    /// <summary>A cancelled message stops.</summary>
    Cancel,

    /// <summary>A request enters as if from the peer.</summary>
    Serve,

    /// <summary>A request that waited gets its answer, or none.</summary>
    Answer,

    /// <summary>The caller of a client request gets its failure.</summary>
    Tell,
}
