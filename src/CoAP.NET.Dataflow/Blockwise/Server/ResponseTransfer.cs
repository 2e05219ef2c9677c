using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Which representation a peer is fetching by a request. Later blocks come from it, so that a resource that changes stays one body, and a
/// handler runs once. Only what the handler gave to this peer for this request is found: responses to other peers are never found. Guarded
/// by Shard.Gate.
/// </summary>
internal sealed class ResponseTransfer(TransferKey key, CoapChannel channel) : StoredTransfer(key, channel)
{
    /// <summary>The overhead of a transfer in addition to its body.</summary>
    public const int Overhead = 256;

    private bool _isDone;

    /// <summary>The response if its body is in memory; null otherwise.</summary>
    public SharedBlockwiseResponse? Response { get; init; }

    /// <summary>The source of the body; null if it is in memory.</summary>
    public ServedResponseBody? Seekable { get; init; }

    /// <summary>The key without the payload of the request; null when that is not part of the key.</summary>
    public TransferKey? Short { get; init; }

    /// <summary>
    /// The progress of the peer, in bytes. Only progress keeps a transfer alive; a client that requests one block repeatedly finally gets a
    /// new state.
    /// </summary>
    public long Reached { get; private set; }

    /// <summary>The blocks that are being sent without a request.</summary>
    public PushedResponseBlocks? Sending { get; set; }

    /// <summary>Whether the last block was given, which only a copy of its request may still want.</summary>
    public override bool IsDone => _isDone;

    public override bool WaitsForServer => Sending is { IsOver: false };

    /// <summary>A transfer that is done is kept for copies of its last request; a stream is not kept open for longer.</summary>
    public override long IdleTime => _isDone ? Math.Min(base.IdleTime, Timeout) : base.IdleTime;

    /// <summary>A block is given.</summary>
    /// <param name="offset">Where it begins.</param>
    /// <param name="length">How long a block is.</param>
    public void Reach(long offset, long length)
    {
        Reached = offset;
        _isDone = offset + length >= (Seekable?.Length ?? Response!.Result.Payload.Length);
    }
}

/// <summary>
/// A response that is fetched block by block. Peers that got the same one share it. Immutable but for what Shard.Gate guards: the count,
/// and of which part of the bound it was taken.
/// </summary>
/// <param name="key">The key of the request, with the entity-tag.</param>
/// <param name="result">Code, options of every block, and the whole payload.</param>
internal sealed class SharedBlockwiseResponse(TransferKey key, CoapResult result)
{
    public TransferKey Key => key;

    public CoapResult Result => result;

    /// <summary>How many transfers use it.</summary>
    public int Users { get; set; }

    public TransferBudgetTier Part { get; set; }

    public long Size => result.Payload.Length + key.Size + 512L;

    public bool IsSame(CoapResult other) =>
        result.Code == other.Code && (result.Payload.Equals(other.Payload) || result.Payload.Span.SequenceEqual(other.Payload.Span))
        && HasSameOptions(other);

    private bool HasSameOptions(CoapResult other)
    {
        CoapOptionCollection? options = result.OptionsToRead;
        CoapOptionCollection? others = other.OptionsToRead;
        int count = options?.Count ?? 0;
        if (count != (others?.Count ?? 0))
        {
            return false;
        }

        for (int i = 0; i < count; i++)
        {
            if (options!.NumberAt(i) != others!.NumberAt(i) || !options.ValueAt(i).SequenceEqual(others.ValueAt(i)))
            {
                return false;
            }
        }

        return true;
    }
}
