using CoAP.NET.Exchanges;
using static CoAP.NET.Peers.ExtendedTokenLength;

namespace CoAP.NET.RequestSteps;

/// <summary>
/// Requests long tokens if the parameters of a peer set them, and detects whether the peer supports them (RFC 8974 section 2.2.2): the
/// first Confirmable request tries. A Reset or 4.00 means no, any other response with the token means yes; after a no, the request is sent
/// again with a short token. Other requests do not wait for that and use short tokens meanwhile. On a connection, the peer's CSM announces
/// the limit (section 2.2.1). Results of plain requests to a hop also apply to protected ones.
/// </summary>
/// <param name="environment">Provides the clock.</param>
internal sealed class ExtendedTokenRequestStep(CoapEnvironment environment) : OutgoingRequestStep
{
    // RFC 8974 section 2.2.2: at least 1,800 s and at most 86,400 s.
    private static readonly TimeSpan s_remembered = TimeSpan.FromHours(12);

    public override StepOutcome Before(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        int length = request.TokenLength is > 0 and int asked ? asked : WantedFor(channel);
        if (length == 0 || request.KeepsToken)
        {
            return StepOutcome.Go;
        }

        if (channel.IsReliable)
        {
            if (length > CoapToken.MaxLength && length <= channel.Connection!.Capabilities.MaxTokenLength)
            {
                AskFor(request, length);
            }

            return StepOutcome.Go;
        }

        switch (SupportOf(channel))
        {
            case LongTokenSupport.Yes:
                AskFor(request, length);
                return StepOutcome.Go;
            // A protected request does not detect it: an attacker could reject it in place of the peer, and the server would execute it
            // twice.
            case LongTokenSupport.Unknown when channel.Carried is null && request.Message.Type == CoapMessageType.Confirmable
                && PeerRequestStepState.GetOrAdd(channel).TryBeginTokenProbe():
                OutgoingRequest probe = request with { Message = request.CopyMessage() };
                AskFor(probe, length);
                return StepOutcome.WatchWith(probe);
            default:
                return StepOutcome.Go;
        }
    }

    public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response) =>
        IsProbe(request, sent)
            && Learn(request,
                response.Code == CoapCode.BadRequest ? LongTokenSupport.No : response.IsNone ? LongTokenSupport.Unknown
                    : LongTokenSupport.Yes)
            ? StepOutcome.Again(request)
            : StepOutcome.Done(response);

    public override StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception) =>
        IsProbe(request, sent)
            && Learn(request,
                exception is CoapException { Error: CoapError.Reset } ? LongTokenSupport.No : LongTokenSupport.Unknown)
            ? StepOutcome.Again(request)
            : StepOutcome.Fail(exception);

    /// <summary>Returns whether a peer is known to support long tokens.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="length">The length in bytes.</param>
    /// <exception cref="CoapException">The peer, or this endpoint, supports long tokens, but not of that length.</exception>
    public bool Supports(CoapChannel channel, int length)
    {
        if (length > OurLongest(channel))
        {
            throw new CoapException(
                CoapError.TooLarge,
                $"The response would have a token of {length} bytes, and this endpoint accepts at most {OurLongest(channel)}. Keep "
                    + "less state in it, or raise CoapLimits.Messages.MaxTokenLength.");
        }

        if (!channel.IsReliable)
        {
            return SupportOf(channel) == LongTokenSupport.Yes;
        }

        int longest = channel.Connection!.Capabilities.MaxTokenLength;
        return length <= longest || (longest > CoapToken.MaxLength ? throw new CoapException(
            CoapError.TooLarge,
            $"The token has {length} bytes, and {channel} accepts at most {longest} (RFC 8974 section 2.2.1). Keep less state in it.")
            : false);
    }

    private static int WantedFor(CoapChannel channel) =>
        channel.IsReliable ? OfConnection(channel)
        : channel.Parameters.ExtendedTokenLength is { } length && !channel.IsGroup && OurLongest(channel) > CoapToken.MaxLength
        ? Math.Min(length, OurLongest(channel))
        : 0;

    private static bool IsProbe(OutgoingRequest request, OutgoingRequest sent) =>
        !ReferenceEquals(sent, request) && sent.AttemptOf(request) == 0;

    private LongTokenSupport SupportOf(CoapChannel channel)
    {
        // Tokens are between this endpoint and the next hop, independent of protection.
        if (PeerRequestStepState.Of(channel.Wire) is not { } facts)
        {
            return LongTokenSupport.Unknown;
        }

        LongTokenSupport support = facts.LongTokens;
        return support is LongTokenSupport.Yes or LongTokenSupport.No && environment.Now >= facts.LongTokensUntil
            ? facts.LongTokens = LongTokenSupport.Unknown
            : support;
    }

    // Returns whether to send the request again with a short token. The server did not execute it, so this is safe for every method.
    private bool Learn(OutgoingRequest request, LongTokenSupport found)
    {
        PeerRequestStepState facts = PeerRequestStepState.GetOrAdd(request.Channel);
        facts.LongTokensUntil = environment.Now + s_remembered.Ticks;
        facts.LongTokens = found;
        return found == LongTokenSupport.No;
    }

    // Registering the request creates the token; this value only sets its length.
    private static void AskFor(OutgoingRequest request, int length) => request.Message.Token = new CoapToken(new byte[length]);
}
