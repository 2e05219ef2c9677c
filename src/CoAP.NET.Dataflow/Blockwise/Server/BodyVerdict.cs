namespace CoAP.NET.Blockwise;

/// <summary>The decision about a request. The default value passes it to the Resource stage.</summary>
/// <param name="Kind">The action.</param>
/// <param name="Result">The response, for <see cref="BodyVerdictKind.Answer"/>.</param>
/// <param name="Stream">The stream for the block, for <see cref="BodyVerdictKind.Write"/>.</param>
internal readonly record struct BodyVerdict(BodyVerdictKind Kind, CoapResult? Result = null, StreamedBody? Stream = null)
{
    public static BodyVerdict Answer(CoapResult result) => new(BodyVerdictKind.Answer, result);
}
