using CoAP.NET.Exchanges;

namespace CoAP.NET.Tests.Requests;

/// <summary>The end of a chain in tests: answers each message by a function, at once or later.</summary>
internal sealed class ScriptedStep(Func<OutgoingRequest, CoapResponse> answer, bool isLate) : OutgoingRequestStep
{
    /// <summary>What was sent.</summary>
    public List<OutgoingRequest> Sent { get; } = [];

    public override StepOutcome Before(OutgoingRequest request)
    {
        Sent.Add(request);
        return isLate ? StepOutcome.Wait(AnswerLaterAsync(request)) : StepOutcome.Done(answer(request));
    }

    private async Task<CoapResponse> AnswerLaterAsync(OutgoingRequest request)
    {
        await Task.Yield();
        return answer(request);
    }
}
