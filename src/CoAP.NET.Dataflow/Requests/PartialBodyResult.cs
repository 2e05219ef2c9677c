namespace CoAP.NET.Requests;

/// <summary>An answer whose payload is not the whole body: a block ready to be sent, or what was read at the place of one.</summary>
internal sealed class PartialBodyResult : CoapResult
{
    public PartialBodyResult(CoapCode code, ReadOnlyMemory<byte> payload = default)
        : base(code, payload)
    {
    }

    /// <summary>Whether it is a response as it goes out, with its Block options.</summary>
    public bool IsBlock { get; init; }

    /// <summary>Where the payload begins in the body, in bytes.</summary>
    public long Offset { get; init; }

    /// <summary>The size of the body in bytes; if it is unknown, the size known so far.</summary>
    public long Total { get; init; }

    /// <summary>The size of the body for the peer; null if it is unknown.</summary>
    public long? Size { get; init; }

    /// <summary>The blocks that follow it without a request; null for none.</summary>
    public PushedResponseBlocks? Following { get; set; }

    /// <summary>The source of later blocks; null for none.</summary>
    public ServedResponseBody? Source { get; init; }

    /// <summary>Closes the stream of a response that is no longer fetched.</summary>
    public void CloseUnlessStored()
    {
        if (Source is { IsStored: false } source)
        {
            _ = source.CloseAsync();
        }
    }
}

/// <summary>
/// Blocks of an answer that go out after another one without being asked for. The timer is the pause between them. Guarded by Shard.Gate.
/// </summary>
internal abstract class PushedResponseBlocks : WheelTimer
{
    /// <summary>Whether no more of them is sent.</summary>
    public bool IsOver { get; set; }
}
