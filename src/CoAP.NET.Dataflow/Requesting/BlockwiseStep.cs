using CoAP.NET.Blockwise;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

/// <summary>
/// Transfers bodies that are too large for one message in blocks (RFC 7959). A small request with a small response passes; what a large one takes is done by
/// <see cref="BlockwiseTransfer"/>. Who sets Block1 or Block2 in the options of his request does it by himself and gets each response as it came.
/// </summary>
/// <param name="environment">For bounds, counters and log.</param>
internal sealed class BlockwiseStep(CoapEnvironment environment) : RequestStep
{
    /// <summary>Which uploads of this endpoint are not concluded.</summary>
    public UploadTags Tags { get; } = new(environment.Random);

    public CoapEnvironment Environment => environment;

    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        if (request.FirstBlock is not null)
        {
            return new BlockwiseTransfer(this, request).RunAsync(request.FirstBlock, cancellationToken);
        }

        if (IsLeftAlone(request))
        {
            return Next.SendAsync(request, cancellationToken);
        }

        CoapMessage message = request.Message;
        if (MustTransfer(request))
        {
            return new BlockwiseTransfer(this, request).RunAsync(null, cancellationToken);
        }

        if (TransferSizes.EarlyExponent(request) is { } exponent && !(message.HasOptions && message.OptionsToRead!.Contains(OptionNumber.QBlock2)))
        {
            message.Options.Block2 = new BlockValue(0, more: false, exponent);
        }

        if (message.Code == CoapCode.Post)
        {
            return SendTaggedAsync(request, cancellationToken);
        }

        Task<CoapResponse> sent = Next.SendAsync(request, cancellationToken);
        return sent.IsCompletedSuccessfully && IsComplete(message, sent.Result.Message) ? sent : CompleteAsync(request, sent, cancellationToken);
    }

    public override bool MustSend(OutgoingRequest request) =>
        request.FirstBlock is not null || request.Message.Code == CoapCode.Post || IsLeftAlone(request) || MustTransfer(request) || TransferSizes.EarlyExponent(request) is not null;

    public override bool Concerns(OutgoingRequest request, CoapResponse response) => !IsComplete(request.Message, response.Message);

    public override Task<CoapResponse> CompleteAsync(OutgoingRequest request, CoapResponse response, CancellationToken cancellationToken) =>
        new BlockwiseTransfer(this, request).RunAsync(response, cancellationToken);

    private async Task<CoapResponse> CompleteAsync(OutgoingRequest request, Task<CoapResponse> sent, CancellationToken cancellationToken)
    {
        CoapResponse response = await sent.ConfigureAwait(false);
        return Concerns(request, response) ? await CompleteAsync(request, response, cancellationToken).ConfigureAwait(false) : response;
    }

    // Not by the options of the message: another step may send again what this one completed.
    private static bool IsLeftAlone(OutgoingRequest request) =>
        request.Request.Message.OptionsToRead is { } own && (own.Contains(OptionNumber.Block1) || own.Contains(OptionNumber.Block2));

    private static bool MustTransfer(OutgoingRequest request) =>
        request.Request.Transfer is { IsSpecial: true } || request.Request.Content?.Open is not null
        || (!request.Message.Payload.IsEmpty && request.Message.Payload.Length > TransferSizes.Whole(request));

    // Later blocks of the response to a POST are asked for without its payload, so of two at a time to one resource the tag has to say whose they are (RFC 9175 section 3.3).
    private async Task<CoapResponse> SendTaggedAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        int? untagged = BeginPost(request);
        try
        {
            return await CompleteAsync(request, Next.SendAsync(request, cancellationToken), cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            if (untagged is { } resource)
            {
                Tags.Conclude(request.Channel.AddressHash, resource);
            }
        }
    }

    private int? BeginPost(OutgoingRequest request)
    {
        CoapMessage message = request.Message;
        if (message.OptionsToRead?.Contains(OptionNumber.RequestTag) == true)
        {
            return null;
        }

        int resource = UploadTags.ResourceOf(message);
        Span<byte> tag = stackalloc byte[4];
        if (!Tags.Begin(request.Channel.AddressHash, resource, tag))
        {
            return resource;
        }

        message.Options.Add(OptionNumber.RequestTag, tag);
        return null;
    }

    // A response that ends a request of one message: nothing in it speaks of blocks.
    private static bool IsComplete(CoapMessage request, CoapMessage response) =>
        response.OptionsToRead is { } options && (options.Contains(OptionNumber.Block2) || options.Contains(OptionNumber.Block1))
            ? false
            : response.Code != CoapCode.Continue && (response.Code != CoapCode.RequestEntityTooLarge || request.Payload.Length <= 16);
}
