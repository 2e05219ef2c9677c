using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

/// <summary>
/// Asks for long tokens where a peer's parameters want them, and finds out whether the peer knows them (RFC 8974 section 2.2.2): the first Confirmable request
/// tries. A Reset or 4.00 says no, any other response with the token says yes; after a no the request goes out once more with a short token. Others do not
/// wait for that and use short tokens meanwhile.
/// </summary>
/// <param name="environment">For the clock.</param>
internal sealed class TokenStep(CoapEnvironment environment) : RequestStep
{
    // RFC 8974 section 2.2.2: at least 1,800 s and at most 86,400 s.
    private static readonly TimeSpan s_remembered = TimeSpan.FromHours(12);

    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken) =>
        request.Channel.Parameters.ExtendedTokenLength is { } length && !request.Channel.IsGroup
            ? SendAsync(request, length, cancellationToken)
            : Next.SendAsync(request, cancellationToken);

    /// <summary>Whether a peer is known to understand long tokens.</summary>
    /// <param name="channel">The peer.</param>
    public bool Supports(CoapChannel channel) => SupportOf(channel) == LongTokenSupport.Yes;

    /// <summary>Sends a request with a token of a length, as far as the peer understands it.</summary>
    /// <param name="request">The request.</param>
    /// <param name="length">The length in bytes.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response.</returns>
    public Task<CoapResponse> SendAsync(OutgoingRequest request, int length, CancellationToken cancellationToken)
    {
        CoapChannel channel = request.Channel;
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

    public override bool MustSend(OutgoingRequest request) => request.Channel.Parameters.ExtendedTokenLength is not null;

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
