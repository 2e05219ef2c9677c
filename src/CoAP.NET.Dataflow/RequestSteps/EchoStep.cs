using CoAP.NET.Exchanges;

namespace CoAP.NET.RequestSteps;

/// <summary>
/// Returns the Echo values of servers (RFC 9175 section 2.3). After 4.01 with an Echo, it sends the request again with the value, and once
/// more if the server asks for another one. The Echo of any other response goes into the next request to the same peer. A request with its
/// own Echo passes unchanged. For requests that a proxy forwards, safe ones get the Echo, which proves only that the proxy receives at its
/// address. Only the client can confirm freshness, so it gets the challenge, and requests that change state get no Echo of the proxy.
/// </summary>
internal sealed class EchoStep : OutgoingRequestStep
{
    /// <summary>
    /// The maximum number of consecutive challenges that are answered. Each proxy on the path may send one, and so may the server; after
    /// the limit, the request is not sent again.
    /// </summary>
    public const int MaxChallenges = 3;

    public override StepOutcome Before(OutgoingRequest request) =>
        PeerRequestStepState.Of(request.Channel) is { EchoToReturn: not null } facts && !IsLeftAlone(request)
            && facts.TakeEchoToReturn() is { } owed
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

        PeerRequestStepState.GetOrAdd(request.Channel).EchoToReturn = echo;
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

    // Values with an invalid length were removed when the response arrived.
    private static bool TryGetEcho(CoapResponse response, out byte[] value)
    {
        value = response.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> bytes) ? bytes.ToArray() : [];
        return value.Length > 0;
    }
}
