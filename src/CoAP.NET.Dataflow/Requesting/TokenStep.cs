using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

/// <summary>
/// Asks for long tokens where a peer's parameters want them, and finds out whether the peer knows them (RFC 8974 section 2.2.2): the first Confirmable request
/// tries. A Reset or 4.00 says no, any other response with the token says yes; after a no the request goes out once more with a short token. Others do not
/// wait for that and use short tokens meanwhile. On a connection the peer has said in its CSM what it takes (section 2.2.1).
/// </summary>
/// <param name="environment">For the clock.</param>
internal sealed class TokenStep(CoapEnvironment environment) : RequestStep
{
    // RFC 8974 section 2.2.2: at least 1,800 s and at most 86,400 s.
    private static readonly TimeSpan s_remembered = TimeSpan.FromHours(12);

    /// <summary>The length of the tokens of requests on a connection, as its parameters want it and the peer takes it; 0 for that of other tokens, and where no connection is.</summary>
    /// <param name="channel">The peer.</param>
    public static int LengthFor(CoapChannel channel) =>
        channel is { IsReliable: true, PeerMaxTokenLength: > CoapToken.MaxLength and int longest, Parameters.ExtendedTokenLength: { } wanted } && OurLongest(channel) > CoapToken.MaxLength
            ? Math.Min(Math.Min(wanted, longest), OurLongest(channel))
            : 0;

    // The token comes back with the response, which must not be too long for ourselves.
    private static int OurLongest(CoapChannel channel) => channel.Shard.Environment.Limits.MaxTokenLength;

    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken) =>
        request.Channel.IsReliable ? SendAsync(request, LengthFor(request.Channel), cancellationToken)
        : request.Channel.Parameters.ExtendedTokenLength is { } length && !request.Channel.IsGroup && OurLongest(request.Channel) > CoapToken.MaxLength
            ? SendAsync(request, Math.Min(length, OurLongest(request.Channel)), cancellationToken)
            : Next.SendAsync(request, cancellationToken);

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
                $"The response would have a token of {length} bytes, and this endpoint takes {OurLongest(channel)}. Keep less state in it, or raise CoapLimits.MaxTokenLength.");
        }

        if (!channel.IsReliable)
        {
            return SupportOf(channel) == LongTokenSupport.Yes;
        }

        int longest = channel.PeerMaxTokenLength;
        return length <= longest || (longest > CoapToken.MaxLength ? throw new CoapTooLargeException(
            length,
            longest,
            $"A token of {length} bytes is more than the {longest} that {channel} takes (RFC 8974 section 2.2.1). Keep less state in it.") : false);
    }

    /// <summary>Sends a request with a token of a length, as far as the peer understands it.</summary>
    /// <param name="request">The request.</param>
    /// <param name="length">The length in bytes.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response.</returns>
    public Task<CoapResponse> SendAsync(OutgoingRequest request, int length, CancellationToken cancellationToken)
    {
        CoapChannel channel = request.Channel;
        if (channel.IsReliable)
        {
            if (length > CoapToken.MaxLength && length <= channel.PeerMaxTokenLength)
            {
                AskFor(request, length);
            }

            return Next.SendAsync(request, cancellationToken);
        }

        LongTokenSupport support = SupportOf(channel);
        if (support == LongTokenSupport.Yes)
        {
            AskFor(request, length);
            return Next.SendAsync(request, cancellationToken);
        }

        return support == LongTokenSupport.Unknown && request.Message.Type == CoapMessageType.Confirmable && channel.TryBeginTokenProbe()
            ? ProbeAsync(request, length, cancellationToken)
            : Next.SendAsync(request, cancellationToken);
    }

    public override bool MustSend(OutgoingRequest request) =>
        request.Channel.IsReliable ? LengthFor(request.Channel) > 0 : request.Channel.Parameters.ExtendedTokenLength is not null;

    private LongTokenSupport SupportOf(CoapChannel channel)
    {
        LongTokenSupport support = channel.LongTokens;
        return support is LongTokenSupport.Yes or LongTokenSupport.No && environment.Now >= channel.LongTokensUntil
            ? channel.LongTokens = LongTokenSupport.Unknown
            : support;
    }

    private async Task<CoapResponse> ProbeAsync(OutgoingRequest request, int length, CancellationToken cancellationToken)
    {
        LongTokenSupport found = LongTokenSupport.Unknown;
        try
        {
            OutgoingRequest probe = request.With(request.CopyMessage());
            AskFor(probe, length);
            CoapResponse response = await Next.SendAsync(probe, cancellationToken).ConfigureAwait(false);
            found = response.Code == CoapCode.BadRequest ? LongTokenSupport.No : response.IsNone ? LongTokenSupport.Unknown : LongTokenSupport.Yes;
            if (found != LongTokenSupport.No)
            {
                return response;
            }
        }
        catch (CoapResetException)
        {
            found = LongTokenSupport.No;
        }
        finally
        {
            request.Channel.LongTokensUntil = environment.Now + s_remembered.Ticks;
            request.Channel.LongTokens = found;
        }

        // It was not carried out in either case, so it may go out again whatever it asks for.
        return await Next.SendAsync(request, cancellationToken).ConfigureAwait(false);
    }

    // The token itself is made when the request is registered; its length is what says how long it shall be.
    private static void AskFor(OutgoingRequest request, int length) => request.Message.Token = new CoapToken(new byte[length]);
}
