namespace CoAP.NET.Requests;

/// <summary>
/// Asks for long tokens where a peer's parameters want them, and finds out whether the peer knows them (RFC 8974 section 2.2.2): the first
/// Confirmable request tries. A Reset or 4.00 says no, any other response with the token says yes; after a no the request goes out once
/// more with a short token. Others do not wait for that and use short tokens meanwhile. On a connection the peer has said in its CSM what
/// it takes (section 2.2.1). What plain requests found out of a hop holds for protected ones as well.
/// </summary>
/// <param name="environment">For the clock.</param>
internal sealed class TokenStep(CoapEnvironment environment) : RequestStep
{
    // RFC 8974 section 2.2.2: at least 1,800 s and at most 86,400 s.
    private static readonly TimeSpan s_remembered = TimeSpan.FromHours(12);

    /// <summary>
    /// The length of the tokens of requests on a connection, as its parameters want it and the peer takes it; 0 for that of other tokens,
    /// and where no connection is.
    /// </summary>
    /// <param name="channel">The peer.</param>
    public static int LengthFor(CoapChannel channel) =>
        channel is { IsReliable: true, PeerMaxTokenLength: > CoapToken.MaxLength and int longest,
            Parameters.ExtendedTokenLength: { } wanted } && OurLongest(channel) > CoapToken.MaxLength
            ? Math.Min(Math.Min(wanted, longest), OurLongest(channel))
            : 0;

    // The token comes back with the response, which must not be too long for ourselves.
    private static int OurLongest(CoapChannel channel) => channel.Shard.Environment.Limits.MaxTokenLength;

    public override StepOutcome Before(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        int length = request.TokenLength is > 0 and int asked ? asked : WantedFor(channel);
        if (length == 0)
        {
            return StepOutcome.Go;
        }

        if (channel.IsReliable)
        {
            if (length > CoapToken.MaxLength && length <= channel.PeerMaxTokenLength)
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
            // By a protected request it is not found out: anybody can reject it in place of the peer, and the same would be carried out
            // twice.
            case LongTokenSupport.Unknown when channel.Carried is null && request.Message.Type == CoapMessageType.Confirmable
                && channel.TryBeginTokenProbe():
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
        IsProbe(request, sent) && Learn(request, exception is CoapResetException ? LongTokenSupport.No : LongTokenSupport.Unknown)
            ? StepOutcome.Again(request)
            : StepOutcome.Fail(exception);

    /// <summary>Whether a peer is known to understand long tokens.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="length">The length in bytes.</param>
    /// <exception cref="CoapTooLargeException">The peer said that it takes long ones, but not that long; or we do not.</exception>
    public bool Supports(CoapChannel channel, int length)
    {
        if (length > OurLongest(channel))
        {
            throw new CoapTooLargeException(
                length,
                OurLongest(channel),
                $"The response would have a token of {length} bytes, and this endpoint takes {OurLongest(channel)}. Keep less state in it, "
                    + "or raise CoapLimits.MaxTokenLength.");
        }

        if (!channel.IsReliable)
        {
            return SupportOf(channel) == LongTokenSupport.Yes;
        }

        int longest = channel.PeerMaxTokenLength;
        return length <= longest || (longest > CoapToken.MaxLength ? throw new CoapTooLargeException(
            length,
            longest,
            $"A token of {length} bytes is more than the {longest} that {channel} takes (RFC 8974 section 2.2.1). Keep less state in it.")
            : false);
    }

    private static int WantedFor(CoapChannel channel) =>
        channel.IsReliable ? LengthFor(channel)
        : channel.Parameters.ExtendedTokenLength is { } length && !channel.IsGroup && OurLongest(channel) > CoapToken.MaxLength
        ? Math.Min(length, OurLongest(channel))
        : 0;

    private static bool IsProbe(OutgoingRequest request, OutgoingRequest sent) =>
        !ReferenceEquals(sent, request) && sent.AttemptOf(request) == 0;

    private LongTokenSupport SupportOf(CoapChannel channel)
    {
        // Tokens are between us and the next hop, whoever protects what they stand for.
        channel = channel.Wire;
        LongTokenSupport support = channel.LongTokens;
        return support is LongTokenSupport.Yes or LongTokenSupport.No && environment.Now >= channel.LongTokensUntil
            ? channel.LongTokens = LongTokenSupport.Unknown
            : support;
    }

    // Whether the request has to go out again, with a short token. It was not carried out, so it may whatever it asks for.
    private bool Learn(OutgoingRequest request, LongTokenSupport found)
    {
        request.Channel.LongTokensUntil = environment.Now + s_remembered.Ticks;
        request.Channel.LongTokens = found;
        return found == LongTokenSupport.No;
    }

    // The token itself is made when the request is registered; its length is what says how long it shall be.
    private static void AskFor(OutgoingRequest request, int length) => request.Message.Token = new CoapToken(new byte[length]);
}
