namespace CoAP.NET.Blockwise.Server;

/// <summary>The decision about a request. The default value passes it to the Resource stage.</summary>
/// <param name="Kind">The action.</param>
/// <param name="Result">The response, for <see cref="BlockVerdictKind.Answer"/>.</param>
/// <param name="Stream">The body that a handler reads, to which the block is written once the lock is released; null for none.</param>
internal readonly record struct BlockVerdict(BlockVerdictKind Kind, CoapResult? Result = null, StreamedRequestBody? Stream = null)
{
    public static BlockVerdict Answer(CoapResult result) => new(BlockVerdictKind.Answer, result);
}

/// <summary>The action for a request with Block options.</summary>
internal enum BlockVerdictKind : byte
{
    /// <summary>The request goes up to the Resource stage.</summary>
    Deliver,

    /// <summary>It is answered at once.</summary>
    Answer,

    /// <summary>It gets no answer, but an acknowledgement when it is Confirmable.</summary>
    Settle,

    /// <summary>It is answered later.</summary>
    Wait,
}
