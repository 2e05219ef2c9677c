namespace CoAP.NET.Blockwise;

/// <summary>What the chapter decided about a request. The default value: it goes up to the Resource stage.</summary>
/// <param name="Kind">What is to be done.</param>
/// <param name="Result">The answer, of <see cref="BodyVerdictKind.Answer"/>.</param>
/// <param name="Stream">Where the block goes, of <see cref="BodyVerdictKind.Write"/>.</param>
internal readonly record struct BodyVerdict(BodyVerdictKind Kind, CoapResult? Result = null, StreamedBody? Stream = null)
{
    public static BodyVerdict Answer(CoapResult result) => new(BodyVerdictKind.Answer, result);
}
