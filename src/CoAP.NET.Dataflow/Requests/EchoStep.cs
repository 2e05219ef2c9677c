using CoAP.NET.Options;

namespace CoAP.NET.Requests;

/// <summary>
/// Sends back what servers ask to have sent back (RFC 9175 section 2.3): after 4.01 with an Echo the request goes out once more with it,
/// and again if another one is asked for then; an Echo of any other response goes into the next request to the same peer. A request that
/// brings an Echo of its own is left alone. Of those that a proxy sends on for somebody else, safe ones show the server that the proxy
/// receives at its address, which is so; whether a request is fresh only the client can say, so a challenge is given to it, and what
/// changes something gets no Echo of the proxy.
/// </summary>
internal sealed class EchoStep : RequestStep
{
    /// <summary>
    /// How many challenges in a row are answered. Each proxy on the way may have one of its own, and so may the server; one that goes on
    /// asking is not asked again.
    /// </summary>
    public const int MaxChallenges = 3;

    public override StepOutcome Before(OutgoingRequest request) =>
        request.Channel.EchoToReturn is not null && !IsLeftAlone(request) && request.Channel.TakeEchoToReturn() is { } owed
            ? StepOutcome.GoWith(WithEcho(request, owed))
            : StepOutcome.Go;

    public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response)
    {
        if (response.Message.OptionsToRead is not { } options || !options.Contains(OptionNumber.Echo) || IsLeftAlone(request)
            || !TryGetEcho(response, out byte[] echo))
        {
            return StepOutcome.Done(response);
        }

        if (response.Code == CoapCode.Unauthorized && request.Request.IsForwarded)
        {
            return StepOutcome.Done(response);
        }

        if (response.Code == CoapCode.Unauthorized && sent.AttemptOf(request) < MaxChallenges)
        {
            return StepOutcome.Again(WithEcho(request, echo));
        }

        request.Channel.EchoToReturn = echo;
        return StepOutcome.Done(response);
    }

    private static bool IsLeftAlone(OutgoingRequest request) =>
        request.Channel.IsGroup || (request.Request.IsForwarded && !request.Message.Code.IsSafe)
            || (request.Message.OptionsToRead is { } options && options.Contains(OptionNumber.Echo));

    private static OutgoingRequest WithEcho(OutgoingRequest request, byte[] value)
    {
        CoapMessage copy = request.CopyMessage();
        copy.Options.Add(OptionNumber.Echo, value);
        return request with { Message = copy };
    }

    // Values of an illegal length were taken out when the response came.
    private static bool TryGetEcho(CoapResponse response, out byte[] value)
    {
        value = response.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> bytes) ? bytes.ToArray() : [];
        return value.Length > 0;
    }
}
