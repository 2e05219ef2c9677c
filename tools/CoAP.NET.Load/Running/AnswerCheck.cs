using System.Text;
using CoAP.NET.Load.Observing;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

internal sealed class AnswerCheck(LoadPlan plan)
{
    private readonly byte[]? _expected = plan.Expected is null ? null : Encoding.UTF8.GetBytes(plan.Expected);

    /// <summary>Returns the error of an answer; null for a correct one.</summary>
    public string? FaultOf(CoapResponse response) =>
        !response.IsSuccess ? FailureNames.Of(response.Code)
        : _expected is null || response.Payload.Span.SequenceEqual(_expected) ? null
        : FailureNames.WrongPayload;

    /// <summary>Returns the error kind of a failed request; null: lost.</summary>
    public static string? FaultOf(CoapException exception) => exception is CoapTimeoutException ? null : FailureNames.Of(exception);
}
