using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

/// <summary>
/// Sends back what servers ask to have sent back (RFC 9175 section 2.3): after 4.01 with an Echo the request goes out once more with it; an Echo of any other
/// response goes into the next request to the same peer. A request that brings an Echo of its own is left alone.
/// </summary>
internal sealed class EchoStep : RequestStep
{
    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken) =>
        IsLeftAlone(request)
            ? Next.SendAsync(request, cancellationToken)
            : SendWatchedAsync(request, cancellationToken);

    public override bool MustSend(OutgoingRequest request) =>
        request.Channel.EchoToReturn is not null || IsLeftAlone(request);

    public override bool Concerns(OutgoingRequest request, CoapResponse response) =>
        response.Message.OptionsToRead is { } options && options.Contains(OptionNumber.Echo);

    public override async Task<CoapResponse> CompleteAsync(OutgoingRequest request, CoapResponse response, CancellationToken cancellationToken)
    {
        if (!TryGetEcho(response, out byte[] echo))
        {
            return response;
        }

        if (response.Code == CoapCode.Unauthorized)
        {
            // Once: a server that goes on asking is not asked again by us.
            response = await Next.SendAsync(WithEcho(request, echo), cancellationToken).ConfigureAwait(false);
            if (!TryGetEcho(response, out echo))
            {
                return response;
            }
        }

        request.Channel.EchoToReturn = echo;
        return response;
    }

    private static bool IsLeftAlone(OutgoingRequest request) =>
        request.Channel.IsGroup || (request.Message.OptionsToRead is { } options && options.Contains(OptionNumber.Echo));

    private async Task<CoapResponse> SendWatchedAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        CoapChannel channel = request.Channel;
        OutgoingRequest first = request;
        if (channel.TakeEchoToReturn() is { } owed)
        {
            first = WithEcho(request, owed);
        }

        CoapResponse response = await Next.SendAsync(first, cancellationToken).ConfigureAwait(false);
        return Concerns(request, response) ? await CompleteAsync(request, response, cancellationToken).ConfigureAwait(false) : response;
    }

    private static OutgoingRequest WithEcho(OutgoingRequest request, byte[] value)
    {
        CoapMessage copy = request.CopyMessage();
        copy.Options.Add(OptionNumber.Echo, value);
        return request.With(copy);
    }

    // Values of an illegal length were taken out when the response came.
    private static bool TryGetEcho(CoapResponse response, out byte[] value)
    {
        value = [];
        if (response.Message.HasOptions && response.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> bytes))
        {
            value = bytes.ToArray();
        }

        return value.Length > 0;
    }
}
