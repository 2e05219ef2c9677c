using System.Text;

namespace CoAP.NET.Cli.Bench;

/// <summary>Tells right answers from wrong ones.</summary>
/// <param name="plan">What is expected.</param>
internal sealed class AnswerCheck(LoadPlan plan)
{
    private readonly byte[]? _expected = plan.Expected is null ? null : Encoding.UTF8.GetBytes(plan.Expected);

    /// <summary>What is wrong with an answer; null: nothing.</summary>
    public string? FaultOf(CoapResponse response) =>
        !response.IsSuccess ? ErrorKind.Of(response.Code)
        : _expected is null || response.Payload.Span.SequenceEqual(_expected) ? null
        : ErrorKind.WrongPayload;

    /// <summary>What a request that failed is counted as; null: lost.</summary>
    public static string? FaultOf(CoapException exception) => exception is CoapTimeoutException ? null : exception.GetType().Name;
}
